@testable import Annals
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
    let streams: [StreamName] = ["s", "s-1", "s-t-1", "st-1"]
    let (types, tags): ([String], [EventTag]) = (["A", "B", "\u{E9}", "e\u{301}"], ["x", "y"])
    let alternative = zip(
      .set(of: .element(of: streams), count: 0...2), .set(of: .element(of: ["s", "s-t", "st", "u"]), count: 0...2),
      Generator.array(of: .element(of: types), count: 0...3).map { Set($0) },
      .set(of: .element(of: tags), count: 0...2)
    ).map { EventQuery.Alternative(streams: $0, categories: $1, types: $2, tags: $3) }
    let query = Generator<EventQuery>.frequency(
      (1, .constant(.all)), (5, Generator.array(of: alternative, count: 0...3).map { EventQuery($0) }))
    try check(query, query, settings: CheckSettings(examples: 200)) { left, right in
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

  @Test func `a category has the streams with its name, a hyphen and an id`() {
    let names: [StreamName] = [
      "Hall", "Hall-", "Hall-1", "Hall-2-a", "HallX-1", "Hall.1", "Hal-1", "hall-1", "Hall-\u{301}", "-Hall-1",
      "\u{E9}-1", "e\u{301}-1",
    ]
    func streams(_ category: String) -> [StreamName] {
      names.filter { EventQuery.category(category).matches(stream: $0, type: "T", tags: []) }
    }
    #expect(streams("Hall") == ["Hall-", "Hall-1", "Hall-2-a", "Hall-\u{301}"])
    #expect(streams("Hall-2") == ["Hall-2-a"])
    #expect(streams("\u{E9}") == ["\u{E9}-1"])
    #expect(streams("e\u{301}") == ["e\u{301}-1"])
    #expect(streams("Hall-1") == [] && streams("e") == [])
  }

  @Test func `a category within another category is what both have in common`() {
    for (left, right) in [("s", "s-t"), ("s-t", "s")] {
      #expect((EventQuery.category(left) && .category(right)) == .category("s-t"))
    }
    #expect((EventQuery.category("s") && .category("st")) == EventQuery([]))
    #expect((EventQuery.category("s") && .stream("s-1")) == .stream("s-1"))
    #expect((EventQuery.category("s") && .stream("st-1")) == EventQuery([]))
  }

  @Test func `a kept query with categories is read as it was, and one without has the same text as before`() {
    let query = EventQuery([
      .init(streams: ["s"], types: ["T"]), .init(categories: ["b", "a\"b"], tags: ["x"]),
    ])
    #expect(
      query.canonicalText == #"[{"categories":["a\"b","b"],"tags":["x"]},{"streams":["s"],"types":["T"]}]"#)
    let read = EventQuery(canonicalText: query.canonicalText)
    #expect(read.map(BoundaryKey.init) == BoundaryKey(query))
    #expect(BoundaryKey(.category("a")) != BoundaryKey(.category("b")))
    #expect(BoundaryKey(.category("a")) != BoundaryKey(EventQuery([.init()])))
    #expect(EventQuery(canonicalText: #"[{"categories":[""]}]"#) == nil)
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

    @Test func `an empty category ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = EventQuery.category("")
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("a category must not be empty; use EventQuery.all"), "\(said)")
      await #expect(processExitsWith: .failure) {
        var alternative = EventQuery.Alternative()
        alternative.categories.insert("")
      }
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
