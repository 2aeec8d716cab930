import Annals
import AnnalsTesting

extension StoreContract {
  static let conflicts: [Rule] = [
    Rule("an append is refused if its stream does not have the expected version") { trial in
      let cases: [ExpectedVersion] = [.any, .exact(0), .exact(1), .exact(2), .exact(3), .exists, .doesNotExist]
      for version in 0...2 {
        for expected in cases {
          let store = try trial.store()
          if version > 0 { try store.append(Append(Array(repeating: Trial.event(), count: version), to: "s")) }
          let append = Append([Trial.event()], to: "s", expecting: expected)
          if expected.isMet(by: version) {
            try ensureEqual(try store.append(append).versions["s"], version + 1)
          } else {
            try store.ensureRefuses(append, with: .versionConflict(stream: "s", expected: expected, found: version))
          }
        }
      }
    },
    Rule("an append to several streams commits either all its events or no event") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event()], to: "a"))
      let append = Append(
        [.init(stream: "b", event: Trial.event()), .init(stream: "a", event: Trial.event())],
        expectations: ["b": .any, "a": .exact(0)])
      try store.ensureRefuses(append, with: .versionConflict(stream: "a", expected: .exact(0), found: 1))
    },
    Rule("an append is refused if a stream does not have the expected version, even if the stream gets no event") {
      trial in
      let store = try trial.store()
      let append = Append([.init(stream: "b", event: Trial.event())], expectations: ["a": .exists])
      try store.ensureRefuses(append, with: .versionConflict(stream: "a", expected: .exists, found: 0))
    },
    Rule("an append is refused if an event matches the append's condition, and the error names the first such event") {
      trial in
      let store = try trial.store()
      let seats: [Set<EventTag>] = [["seat:2"], ["seat:1", "row:1"], ["seat:1"]]
      for tags in seats { try store.append(Append([Trial.event("Taken", tags: tags)], to: "hall")) }
      let query = EventQuery([.init(types: ["Taken"], tags: ["seat:1"])])
      func append(after: Position) -> Append {
        Append([.init(stream: "b", event: Trial.event())], conditions: [.init(noneMatching: query, after: after)])
      }
      try store.ensureRefuses(append(after: 0), with: .conditionConflict(after: 0, found: 2))
      try store.ensureRefuses(append(after: 2), with: .conditionConflict(after: 2, found: 3))
      try ensureEqual(try store.append(append(after: 3)).position, 4)
    },
    Rule("an event in any stream of a category, even in a new stream, violates an append condition on the category") {
      trial in
      let store = try trial.store()
      for stream in ["Hall-1", "HallX-1", "Hall", "Hall-2"] as [StreamName] {
        try store.append(Append([Trial.event("Taken", tags: ["x"])], to: stream))
      }
      func append(_ alternative: EventQuery.Alternative, after: Position) -> Append {
        Append(
          [.init(stream: "b", event: Trial.event())],
          conditions: [.init(noneMatching: EventQuery([alternative]), after: after)])
      }
      let hall = EventQuery.Alternative(categories: ["Hall"])
      try store.ensureRefuses(append(hall, after: 0), with: .conditionConflict(after: 0, found: 1))
      try store.ensureRefuses(append(hall, after: 1), with: .conditionConflict(after: 1, found: 4))
      let tagged = EventQuery.Alternative(categories: ["Hall"], types: ["Taken"], tags: ["x"])
      try store.ensureRefuses(append(tagged, after: 1), with: .conditionConflict(after: 1, found: 4))
      let second = EventQuery.Alternative(streams: ["Hall-2", "HallX-1"], categories: ["Hall"])
      try store.ensureRefuses(append(second, after: 0), with: .conditionConflict(after: 0, found: 4))
      try ensureEqual(try store.append(append(hall, after: 4)).position, 5)
      try ensureEqual(try store.append(append(.init(categories: ["Hall"], types: ["Other"]), after: 0)).position, 6)
      try ensureEqual(try store.append(append(.init(streams: ["Hall"], categories: ["Hall"]), after: 0)).position, 7)
    },
    Rule("an event identity can be used only once in a log and only once in an append") { trial in
      let store = try trial.store()
      let id = EventID(source: "elsewhere", id: "7")
      try store.append(Append([Trial.event(id: id)], to: "a"))
      try store.ensureRefuses(Append([Trial.event(), Trial.event(id: id)], to: "a"), with: .duplicateEvent(id, at: 1))
      let other = EventID(source: "elsewhere", id: "8")
      let twice = Append([Trial.event(id: other), Trial.event(id: other)], to: "a")
      do {
        try store.append(twice)
        throw Unmet(
          description: "expected an error for a repeated identity in an append, found none", fileID: #fileID,
          line: #line)
      } catch is EventStoreError {
        try ensureEqual(try store.head(), 1)
      }
      try ensureEqual(try store.position(of: id), 1)
      try ensureEqual(try store.position(of: other), nil)
      try store.append(Append([Trial.event(id: EventID(source: "another", id: "7"))], to: "a"))
    },
    Rule("the store distinguishes strings with different Unicode scalars, even if they are canonically equivalent") {
      trial in
      let store = try trial.store()
      let (one, two) = ("caf\u{E9}", "cafe\u{301}")
      try store.append(
        Append(
          [Trial.event(one, tags: [EventTag(one)], id: EventID(source: one, id: one))], to: StreamName(one)))
      try ensureEqual(try store.version(of: StreamName(two)), 0)
      for query in [.stream(StreamName(two)), .types(two), .tagged(EventTag(two))] as [EventQuery] {
        try ensure(
          try store.events(query, after: 0, through: nil, limit: 9).isEmpty,
          "a query matched an event whose string has different Unicode scalars than the query's string")
      }
      try ensureEqual(try store.position(of: EventID(source: two, id: two)), nil)
      try store.append(Append([Trial.event(id: EventID(source: two, id: two))], to: "a"))
    },
  ]
}
