import Annals
import AnnalsTesting
import Foundation
import Testing

/// Events read as values of a type, beside a model that has all of them decoded by hand.
@Suite struct RecordedReadingTests {
  /// A stored event in some form, and what it is today, with the names that this has.
  private struct Form {
    let stored: NewEvent
    let events: [(name: String, event: ShopEvent)]

    init(_ type: String, _ schema: Int, _ payload: String, _ events: [(String, ShopEvent)]) {
      stored = NewEvent(type: type, schema: schema, payload: payload)
      self.events = events
    }
  }

  private static let forms: [Form] = [
    Form(
      "ShopStocked", 3, #"{"id":"a","title":"A","shelf":"s"}"#,
      [("ShopStocked", .stocked(id: "a", title: "A", shelf: "s"))]),
    Form("ShopAdded", 1, #"{"id":"b","name":"B"}"#, [("ShopStocked", .stocked(id: "b", title: "B", shelf: "new"))]),
    Form("ShopPriced", 3, #"{"id":"a","cents":5}"#, [("ShopPriced", .priced(id: "a", cents: 5))]),
    Form("ShopPriced", 1, #"{"id":"b","price":"2.5"}"#, [("ShopPriced", .priced(id: "b", cents: 250))]),
    Form(
      "ShopImported", 1, #"{"books":[{"id":"c","title":"C","cents":7},{"id":"d","title":"D","cents":8}]}"#,
      [
        ("ShopStocked", .stocked(id: "c", title: "C", shelf: "import")), ("ShopPriced", .priced(id: "c", cents: 7)),
        ("ShopStocked", .stocked(id: "d", title: "D", shelf: "import")), ("ShopPriced", .priced(id: "d", cents: 8)),
      ]),
    Form("ShopImported", 1, #"{"books":[]}"#, []), Form("ShopVisited", 2, "1", []),
    Form("ShopBought", 3, #"{"id":"a"}"#, [("ShopSold", .sold(id: "a"))]),
    Form("ShopSold", 3, #"{"id":"b"}"#, [("ShopSold", .sold(id: "b"))]), Form("Other", 9, "[]", []),
  ]

  private struct Question {
    var query: EventQuery
    var after: Int
    var through: Int?
    var limit: Int?
  }

  private static let streams: [StreamName] = ["x", "y"]
  private static let tags: [EventTag] = ["p", "q"]
  private static let names = ["ShopStocked", "ShopPriced", "ShopSold", "ShopImported", "ShopAdded", "None"]

  private static let logs = Generator.array(
    of: zip(.int(in: 0...9), .int(in: 0...1), .set(of: .element(of: tags), count: 0...2)), count: 0...40)

  private static let alternatives = zip(
    .set(of: .element(of: streams), count: 0...2), .set(of: .element(of: names), count: 0...3),
    .set(of: .element(of: tags), count: 0...1)
  ).map { EventQuery.Alternative(streams: $0, types: $1, tags: $2) }

  private static let questions = zip(
    Generator<EventQuery>.frequency(
      (1, .constant(.all)), (3, Generator.array(of: alternatives, count: 0...3).map { EventQuery($0) })),
    .int(in: 0...41), Generator.int(in: 0...45).optional(), Generator.int(in: 1...9).optional()
  ).map { Question(query: $0, after: $1, through: $2, limit: $3) }

  private func fill(_ store: some EventStore, _ log: [(Int, Int, Set<EventTag>)]) throws {
    // Transactions of one, two, three … events.
    var (rest, count) = (log[...], 1)
    while !rest.isEmpty {
      try store.append(
        Append(
          rest.prefix(count).map { form, stream, tags in
            var event = Self.forms[form].stored
            event.tags = tags
            return .init(stream: Self.streams[stream], event: event)
          }))
      (rest, count) = (rest.dropFirst(count), count + 1)
    }
  }

  /// The positions and events that a question is answered, by the plainest way.
  private func answer(_ question: Question, _ log: [(Int, Int, Set<EventTag>)], backwards: Bool) -> [String] {
    func isWanted(_ name: String, _ stream: StreamName, _ tags: Set<EventTag>) -> Bool {
      guard let alternatives = question.query.alternatives else { return true }
      return alternatives.contains {
        ($0.streams.isEmpty || $0.streams.contains(stream)) && ($0.types.isEmpty || $0.types.contains(name))
          && $0.tags.isSubset(of: tags)
      }
    }
    let found = log.enumerated().map { index, one -> [String] in
      guard index + 1 > question.after, index + 1 <= question.through ?? .max else { return [] }
      let (form, stream) = (Self.forms[one.0], Self.streams[one.1])
      return form.events.filter { isWanted($0.name, stream, one.2) || isWanted(form.stored.type, stream, one.2) }
        .map { "\(index + 1) \(stream) \($0.event)" }
    }.filter { !$0.isEmpty }
    guard backwards else { return found.prefix(question.limit ?? .max).flatMap { $0 } }
    return found.reversed().prefix(question.limit ?? .max).flatMap { $0.reversed() }
  }

  @Test func `events of a type are those that a model finds, in both directions, in every store`() throws {
    try check(
      Generator.array(of: zip(Self.logs, .array(of: Self.questions, count: 1...6)), count: 1...1),
      settings: CheckSettings(examples: 60)
    ) { cases in
      for (log, questions) in cases {
        try EveryStore.each { store in
          try fill(store, log)
          for question in questions {
            let through = question.through.map { Position($0) }
            for order in [SortOrder.forward, .reverse] {
              let found = try store.events(
                of: ShopEvent.self, question.query, after: Position(question.after), through: through, order: order,
                limit: question.limit)
              try ensureEqual(
                found.map { "\($0.position) \($0.stream) \($0.event)" },
                answer(question, log, backwards: order == .reverse))
            }
            var each: [String] = []
            try store.forEachEvent(
              of: ShopEvent.self, question.query, after: Position(question.after), through: through
            ) { each.append("\($0.position) \($0.stream) \($0.event)") }
            var all = question
            all.limit = nil
            try ensureEqual(each, answer(all, log, backwards: false))
          }
        }
      }
    }
  }

  @Test func `a limit counts stored events of the type, and what one was split into comes whole`() throws {
    try EveryStore.each { store in
      try fill(store, [(9, 0, []), (4, 0, []), (9, 0, []), (0, 0, []), (6, 0, []), (4, 1, [])])
      func positions(_ order: SortOrder, _ limit: Int?) throws -> [Position] {
        try store.events(of: ShopEvent.self, order: order, limit: limit).map(\.position)
      }
      #expect(try positions(.forward, 1) == [2, 2, 2, 2])
      #expect(try positions(.forward, 2) == [2, 2, 2, 2, 4])
      #expect(try positions(.reverse, 1) == [6, 6, 6, 6])
      #expect(try positions(.forward, nil) == positions(.reverse, nil).reversed())
      // A case chooses among what a split made; the type as it is stored chooses all of it.
      #expect(
        try store.events(of: ShopEvent.self, .case(ShopEvent.priced)).map(\.event) == [
          .priced(id: "c", cents: 7), .priced(id: "d", cents: 8), .priced(id: "c", cents: 7),
          .priced(id: "d", cents: 8),
        ])
      #expect(try store.events(of: ShopEvent.self, .types("ShopImported")).count == 8)
    }
  }

  @Test func `all pages are of one moment, also while others append`() throws {
    let store = MeddledStore()
    for number in 0..<1_300 {
      try store.memory.append([ShopEvent.sold(id: "\(number)")], to: "x")
    }
    let memory = store.memory
    store.meddle(.beforeReading, after: 1) { try memory.append([ShopEvent.sold(id: "late")], to: "x") }
    let found = try store.events(of: ShopEvent.self)
    #expect(store.hasMeddled && found.count == 1_300)
    #expect(found.map(\.position.rawValue) == Array(1...1_300))
    #expect(try store.events(of: ShopEvent.self, order: .reverse).map(\.position.rawValue) == (1...1_301).reversed())
    // One after the other, the end is that of the call.
    var seen: [Int] = []
    try memory.forEachEvent(of: ShopEvent.self) { event in
      if seen.count < 9 { try memory.append([ShopEvent.sold(id: "later")], to: "x") }
      seen.append(event.position.rawValue)
    }
    #expect(seen == Array(1...1_301))
  }

  @Test func `what cannot be read is named, or skipped if that is asked for`() throws {
    try EveryStore.each { store in
      try store.append([ShopEvent.sold(id: "a")], to: "x")
      try store.append(Append([NewEvent(type: "ShopBurnt", payload: "1")], to: "x"))
      try store.append(Append([NewEvent(type: "ShopSold", schema: 4, payload: #"{"id":"b","to":1}"#)], to: "x"))
      func ids(_ unknown: UnknownEventPolicy, _ newer: NewerEventPolicy, through: Position? = nil) throws -> [ShopEvent]
      {
        try store.events(of: ShopEvent.self, through: through, unknownEvents: unknown, newerEvents: newer).map(\.event)
      }
      let unknown = #expect(throws: EventCodingError.self) { try ids(.stop, .skip) }
      #expect(unknown?.code == .unknownEvent && unknown?.event?.position == 2)
      #expect(unknown?.message.hasPrefix("event 2 (ShopBurnt, version 2 of stream \"x\") can't be read as") == true)
      let newer = #expect(throws: EventCodingError.self) { try ids(.skip, .stop) }
      #expect(newer?.code == .newerSchema && newer?.event?.position == 3)
      #expect(try ids(.skip, .skip) == [.sold(id: "a")])
      #expect(try ids(.skip, .read) == [.sold(id: "a"), .sold(id: "b")])
      #expect(try ids(.stop, .stop, through: 1) == [.sold(id: "a")])
      #expect(throws: EventCodingError.self) { try store.events(of: NoEnum.self) }
    }
  }

  @Test func `a recorded event says where, when and by whom`() throws {
    let time = Date(timeIntervalSince1970: 1_000_000)
    try EveryStore.each { store in
      var append = Append()
      try append.add(
        ShopEvent.sold(id: "a"), to: "x", id: EventID(source: "old", id: "7"), time: time,
        metadata: ["actor": "ann", "reason": "sale"])
      let receipt = try store.append(append)
      let found = try #require(try store.events(of: ShopEvent.self).first)
      #expect(found.author == "ann" && found.metadata.author == "ann" && found.metadata["reason"] == "sale")
      #expect(found.time == time && found.id == EventID(source: "old", id: "7") && found.position == receipt.position)
      #expect(found.stream == "x" && found.version == 1)
    }
    var metadata: Metadata = [:]
    #expect(metadata.author == nil)
    metadata.author = "bob"
    #expect(metadata.author == "bob" && metadata == ["actor": "bob"])
  }
}

struct NoEnum: Event, Equatable {
  var text = ""
}
