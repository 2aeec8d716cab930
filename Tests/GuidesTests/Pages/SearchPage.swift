import Annals
import Testing

struct Tome: Row {
  let id: String
  var title: String
  var author: String?
  var tags: [String] = []
}

extension Tome {
  static let search = TextSearch<Tome>(.wordBeginnings, in: \.title, \.author, \.tags)
}

enum TomePageEvent: Event { case came(Tome) }

struct Tomes: Projection {
  func project(_ event: TomePageEvent, into rows: inout Rows<Tome>) {
    if case .came(let tome) = event { rows.insert(tome) }
  }
}

/// The code of `Docs/Search.md`, and what the page says is found.
@Suite @MainActor struct SearchPage {
  private func tomes() throws -> FetchedResultsController<Tome> {
    let store = MemoryEventStore()
    try store.append(
      [
        TomePageEvent.came(Tome(id: "1", title: "The Annals", author: "Tacitus")),
        .came(Tome(id: "2", title: "Germinal", author: "Émile Zola", tags: ["coal"])),
        .came(Tome(id: "3", title: "ＥＭＩＬＥ")),
      ], to: "shelf")
    let request = ListRequest<Tome>(sort: [.ascending(\.title)], searchIndex: Tome.search)
    let tomes = FetchedResultsController(store: store, projection: Tomes(), request: request)
    try tomes.performFetch()
    return tomes
  }

  @Test func `the searches of the page find what it says`() async throws {
    let tomes = try tomes()
    try await tomes.update { $0.filter = Tome.search.filter("ann tac") }
    #expect(tomes.fetchedObjects.map(\.id) == ["1"])
    for (typed, ids) in [("nal", []), ("emile", ["2", "3"]), ("  ", ["1", "2", "3"]), ("coal germ", ["2"])] {
      try await tomes.update { $0.filter = Tome.search.filter(typed) }
      #expect(Set(tomes.fetchedObjects.map(\.id)) == Set(ids), "\(typed)")
    }
    let anywhere = TextSearch<Tome>(.anywhere, in: \.title, \.author)
    for (typed, ids) in [("ann tac", ["1"]), ("nal", ["1", "2"])] {
      try await tomes.update { $0.filter = anywhere.filter(typed) }
      #expect(Set(tomes.fetchedObjects.map(\.id)) == Set(ids), "\(typed)")
    }
  }

  @Test func `the search of the page that a closure reads finds what the closure gives`() throws {
    let tomes = try tomes()
    let search = TextSearch<Tome>(.anywhere) { tome, found in
      found(tome.title)
      for tag in tome.tags { found("#" + tag) }
    }
    try tomes.update { $0.filter = search.filter("#coal") }
    #expect(tomes.fetchedObjects.map(\.id) == ["2"])
  }
}
