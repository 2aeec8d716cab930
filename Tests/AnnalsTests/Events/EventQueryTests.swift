import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@Suite struct EventQueryTests {
  private func store() throws -> MemoryEventStore {
    let store = MemoryEventStore()
    for (type, tags) in [("A", ["x"]), ("B", ["x", "y"]), ("C", [])] as [(String, Set<EventTag>)] {
      try store.append(Append([NewEvent(type: type, payload: nil, tags: tags)], to: "s"))
    }
    return store
  }

  @Test func `types and tags that were computed choose as those that were written`() throws {
    let (types, tags): ([String], [EventTag]) = (["A", "C"], ["x", "y"])
    #expect(EventQuery.types(types) == .types("A", "C"))
    #expect(EventQuery.tagged(tags) == .tagged("x", "y"))
    let store = try store()
    func positions(_ query: EventQuery) -> [Position] {
      store.events(query, after: 0, through: nil, limit: 9).map(\.position)
    }
    #expect(positions(.types(types)) == [1, 3])
    #expect(positions(.tagged(tags)) == [2])
    #expect(positions(.types(Array(types.prefix(1))) || .tagged(tags)) == [1, 2])
  }

  @Test func `a query of two queries matches what both match`() throws {
    let streams: [StreamName] = ["s", "t"]
    let (types, tags): ([String], [EventTag]) = (["A", "B", "\u{E9}", "e\u{301}"], ["x", "y"])
    let alternative = zip(
      .set(of: .element(of: streams), count: 0...2),
      Generator.array(of: .element(of: types), count: 0...3).map { Set($0) },
      .set(of: .element(of: tags), count: 0...2)
    ).map { EventQuery.Alternative(streams: $0, types: $1, tags: $2) }
    let query = Generator<EventQuery>.frequency(
      (1, .constant(.all)), (5, Generator.array(of: alternative, count: 0...3).map { EventQuery($0) }))
    try check(query, query) { left, right in
      for stream in streams {
        for type in types {
          for own in [[], ["x"], ["x", "y"]] as [Set<EventTag>] {
            func matches(_ query: EventQuery) -> Bool { query.matches(stream: stream, type: type, tags: own) }
            try ensureEqual(matches(left && right), matches(left) && matches(right))
            try ensureEqual(matches(left || right), matches(left) || matches(right))
          }
        }
      }
    }
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test func `no tag ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let none: [EventTag] = []
        _ = EventQuery.tagged(none)
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("tagged() requires at least one tag; use EventQuery.all"), "\(said)")
      await #expect(processExitsWith: .failure) { _ = EventQuery.tagged() }
    }

    @Test func `no type ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let none: [String] = []
        _ = EventQuery.types(none)
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("types() requires at least one type; use EventQuery.all"), "\(said)")
      await #expect(processExitsWith: .failure) { _ = EventQuery.types() }
    }
  #endif
}
