import Annals
import AnnalsTesting
import Foundation
import Testing

/// Which of a projection's two methods is called.
@Suite struct ProjectionMethodTests {
  private func lists<P: Projection>(_ projection: P) throws -> [String] where P.Row == Line {
    let store = MemoryEventStore()
    var append = Append()
    try append.add(
      ItemEvent.removed(id: "a"), to: "items", time: Date(timeIntervalSince1970: 7), metadata: ["actor": "ann"])
    try append.add(ItemEvent.removed(id: "b"), to: "items", time: Date(timeIntervalSince1970: 8))
    try store.append(append)
    return try store.list(of: projection).rows.map(\.text)
  }

  @Test func `a projection of recorded events alone knows when and by whom something happened`() throws {
    #expect(try lists(RecordedLines()) == ["recorded 1 at 7.0 by ann", "recorded 2 at 8.0 by no one"])
  }

  @Test func `a projection of events alone does without`() throws {
    #expect(try lists(EventLines()) == ["event", "event"])
  }

  @Test func `of a projection that has both, the one with the recorded event is called`() throws {
    #expect(try lists(BothLines()) == ["recorded", "recorded"])
  }

  @Test func `the laws hold a projection of recorded events alone`() throws {
    let history: [ItemEvent] = [.removed(id: "a"), .removed(id: "b")]
    try RecordedLines().ensureAllLaws(history)
    #expect(
      try RecordedLines().rows(after: history).map(\.text) == [
        "recorded 1 at 1700000000.0 by no one", "recorded 2 at 1700000001.0 by no one",
      ])
    #expect(try BothLines().rows(after: history).map(\.text) == ["recorded", "recorded"])
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test func `a projection that has neither ends the program with a sentence at the first event`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let store = MemoryEventStore()
        // Without events there is nothing to fold.
        _ = try store.list(of: NoLines())
        try store.append([ItemEvent.removed(id: "a")], to: "items")
        _ = try store.list(of: NoLines())
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("NoLines must implement project(_ event: ItemEvent, into:)"), "\(said)")
    }
  #endif
}

private struct Line: Row {
  let id: Position
  var text: String
}

private struct RecordedLines: Projection {
  func project(_ recorded: Recorded<ItemEvent>, into rows: inout Rows<Line>) {
    let text =
      "recorded \(recorded.version) at \(recorded.time.timeIntervalSince1970) by \(recorded.author ?? "no one")"
    rows.insert(Line(id: recorded.position, text: text))
  }
}

private struct EventLines: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Line>) {
    if case .removed(let id) = event { rows.insert(Line(id: id == "a" ? 1 : 2, text: "event")) }
  }
}

private struct BothLines: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Line>) { rows.insert(Line(id: 0, text: "event")) }

  func project(_ recorded: Recorded<ItemEvent>, into rows: inout Rows<Line>) {
    rows.insert(Line(id: recorded.position, text: "recorded"))
  }
}

private struct NoLines: Projection {
  typealias Event = ItemEvent
  typealias Row = Line
}
