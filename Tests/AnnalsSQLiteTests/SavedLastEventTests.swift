import Annals
import AnnalsSQLite
import Foundation
import Testing

private enum NoteEvent: Event {
  case written(id: Int, text: String)
}

private struct Note: Row {
  var id: Int
  var text: String
}

private struct Notes: Projection {
  func project(_ event: NoteEvent, into rows: inout Rows<Note>) {
    guard case .written(let id, let text) = event else { return }
    rows[id] = Note(id: id, text: text)
  }
}

@Suite struct SavedLastEventTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func list(_ store: SQLiteEventStore) throws -> FetchedResultsController<Note> {
    let controller = FetchedResultsController(
      store: store, projection: Notes(),
      request: ListRequest(sort: [.descending(\.text)], section: .by(\.text)), cacheName: "notes")
    try controller.performFetch()
    return controller
  }

  @Test func `a saved list has the positions of its rows' events after a restart, and new events set them`() throws {
    let path = folder.path("log")
    var expected: [Int: Position] = [:]
    for round in 0..<4 {
      let store = try SQLiteEventStore(path: path)
      let head = try store.head().rawValue
      let events = (0..<200).filter { round == 0 || $0 % (round * 31) == 0 }
        .map { NoteEvent.written(id: $0, text: "\(["a", "b", "c"][$0 % 3])\(round)") }
      try store.append(events, to: "s")
      for (index, event) in events.enumerated() {
        guard case .written(let id, _) = event else { continue }
        expected[id] = Position(head + index + 1)
      }
      let written = try list(store)
      try written.saveCache()
      let shown = written.results
      #expect(shown.rows.count == 200)
      for (id, position) in expected { #expect(shown.lastEvent(forID: id) == position) }
      for section in shown { #expect(section.lastEvent == section.compactMap { expected[$0.id] }.max()) }
      store.close()
      // A list from the file alone.
      let reader = try SQLiteEventStore(readingFrom: path)
      let saved = try list(reader)
      #expect(saved.cacheReport.restored == written.results.position)
      for (id, position) in expected { #expect(saved.results.lastEvent(forID: id) == position) }
      let later = expected.filter { $1.rawValue > head }.keys
      #expect(Set(saved.results.rows(setAfter: Position(head)).map(\.id)) == Set(later))
    }
  }
}
