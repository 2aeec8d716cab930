import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization

extension StoreContract {
  static let reading: [Rule] = [
    Rule("a read returns matching events between two positions, in order, up to its limit") { trial in
      let store = try trial.store()
      let streams: [StreamName] = ["a", "b", "c"]
      let tags: [EventTag] = ["x", "y", "z"]
      for number in 0..<60 {
        let event = Trial.event(
          "T\(number % 4)", tags: Set(tags.indices.filter { number >> $0 & 1 == 1 }.map { tags[$0] }))
        try store.append(Append([event], to: streams[number % 3]))
      }
      let all = try store.everything()
      let alternative = zip(
        .set(of: .element(of: streams), count: 0...2), .set(of: .element(of: ["T0", "T1", "T9"]), count: 0...2),
        .set(of: .element(of: tags), count: 0...2)
      ).map { EventQuery.Alternative(streams: $0, types: $1, tags: $2) }
      let query = Generator.array(of: alternative, count: 0...3).optional().map { $0.map { EventQuery($0) } ?? .all }
      let place = Generator.int(in: 0...65)
      let settings = CheckSettings(examples: 150, seed: 1, environment: [:])
      try AnnalsTesting.check(query, place, place.optional(), .int(in: 1...70), settings: settings) {
        query, after, through, limit in
        let end = through.map { Position($0) }
        let expected = all.filter {
          $0.position > Position(after) && (end == nil || $0.position <= end ?? 0) && query.matches($0)
        }
        let found = try store.events(query, after: Position(after), through: end, limit: limit)
        try ensureEqual(found.map(\.position), expected.prefix(limit).map(\.position))
        try ensure(
          found == Array(expected.prefix(limit)),
          "an event that a query returned differs from the event in the log")
      }
    },
    Rule("a query for a category returns the events of its streams, and of no other streams") { trial in
      let store = try trial.store()
      let streams: [StreamName] = [
        "Hall", "Hall-", "Hall-1", "Hall-2-a", "HallX-1", "Hall.1", "Hal-1", "hall-1", "Hall-\u{301}", "\u{E9}-1",
        "e\u{301}-1",
      ]
      let tags: [EventTag] = ["x", "y"]
      for number in 0..<60 {
        let own = Set(tags.indices.filter { number >> $0 & 1 == 1 }.map { tags[$0] })
        let event = Trial.event("T\(number % 4)", tags: own)
        try store.append(Append([event], to: streams[number % streams.count]))
      }
      let all = try store.everything()
      let category = Generator.element(of: ["Hall", "Hall-2", "HallX", "e", "\u{E9}", "e\u{301}", "None"])
      // Two canonically equivalent strings can't be in one set.
      let categories = Generator.array(of: category, count: 1...2).map { Set($0) }
      let types = Generator.set(of: .element(of: ["T0", "T1", "T9"]), count: 0...2)
      let named = Generator.set(of: .element(of: streams), count: 0...1)
      let tagged = Generator.set(of: .element(of: tags), count: 0...1)
      let alternative = zip(categories, named, types, tagged).map { categories, streams, types, tags in
        EventQuery.Alternative(streams: streams, categories: categories, types: types, tags: tags)
      }
      let queries = Generator.array(of: alternative, count: 1...3)
      let settings = CheckSettings(examples: 150, seed: 1, environment: [:])
      try AnnalsTesting.check(queries, .int(in: 0...62), .int(in: 0...62), .int(in: 1...70), settings: settings) {
        alternatives, after, through, limit in
        func matches(_ event: StoredEvent, _ alternative: EventQuery.Alternative) -> Bool {
          let name = event.stream.text.utf8
          guard alternative.categories.contains(where: { name.starts(with: "\($0)-".utf8) }) else { return false }
          if !alternative.streams.isEmpty, !alternative.streams.contains(event.stream) { return false }
          if !alternative.types.isEmpty, !alternative.types.contains(event.type) { return false }
          return alternative.tags.isSubset(of: event.tags)
        }
        let expected = all.filter { event in
          guard event.position > Position(after), event.position <= Position(through) else { return false }
          return alternatives.contains { matches(event, $0) }
        }
        let query = EventQuery(alternatives)
        let found = try store.events(query, after: Position(after), through: Position(through), limit: limit)
        try ensureEqual(found, Array(expected.prefix(limit)))
        let backwards = try store.eventsBackwards(
          query, after: Position(after), through: Position(through), limit: limit)
        try ensureEqual(backwards, Array(expected.reversed().prefix(limit)))
      }
    },
    Rule("the log's position at a time is the last position before the first transaction that contains a later event") {
      trial in
      let store = try trial.store()
      try ensureEqual(try store.position(at: Date(timeIntervalSince1970: 0)), 0)
      // The times decrease between appends, and once within a transaction.
      for times in [[10], [20, 30, 25], [15, 15], [30], [40]] as [[Double]] {
        let events = times.map { NewEvent(type: "T", payload: "1", time: Date(timeIntervalSince1970: $0)) }
        try store.append(Append(events, to: "s"))
      }
      let expected: [(time: Double, position: Position)] = [
        (9.999_999, 0), (10, 1), (25, 1), (29, 1), (30, 7), (39.5, 7), (40, 8), (1e9, 8), (10, 1), (30, 7),
      ]
      for (time, position) in expected {
        let date = Date(timeIntervalSince1970: time)
        try ensureEqual(try store.position(at: date), position)
        try ensureEqual(try store.read { try $0.position(at: date) }, position)
      }
      try ensureEqual(try [Date.distantPast, .distantFuture].map { try store.position(at: $0) }, [0, 8])
    },
    Rule("reading backwards returns the same events as reading forwards, newest first") { trial in
      let store = try trial.store()
      for number in 0..<30 {
        try store.append(
          Append([Trial.event("T\(number % 2)", tags: number % 3 == 0 ? ["x"] : [])], to: StreamName("s\(number % 4)")))
      }
      let queries: [EventQuery] = [.all, .types("T1"), .tagged("x"), .stream("s1"), .tagged("x") || .stream("s3")]
      for query in queries {
        for (after, through) in [(0, nil), (0, 12), (5, 20), (7, nil), (12, 12), (29, nil)] as [(Position, Position?)] {
          for limit in [1, 4, 100] {
            let forwards = try store.events(query, after: after, through: through, limit: 100)
            let found = try store.eventsBackwards(query, after: after, through: through, limit: limit)
            try ensureEqual(found, Array(forwards.reversed().prefix(limit)))
          }
        }
      }
    },
    Rule("a read in batches returns the same events as a single read") { trial in
      let store = try trial.store()
      for number in 0..<30 { try store.append(Append([Trial.event("T\(number % 2)")], to: "s")) }
      for batchSize in [1, 2, 7, 14, 15, 16, 100] {
        var read: [Position] = []
        try store.forEachEvent(.types("T1"), after: 1, through: 29, batchSize: batchSize) { event in
          read.append(event.position)
          try ensure(read.count <= 30, "a read in batches returned more events than the log has")
        }
        try ensureEqual(read, (1...14).map { Position(2 * $0) })
      }
    },
  ]

  static let sharing: [Rule] = [
    Rule("lookups of streams, types, ids, transactions, labels and commands match the log's events") { trial in
      let store = try trial.store()
      let labels = [nil, "l1", "l2", "l1", nil, "m"]
      for number in 0..<24 {
        var events = (0...number % 3).map { Trial.event("T\((number + $0) % 4)") }
        for index in events.indices { events[index].metadata["transaction"] = labels[number % 6] }
        var append = Append(events, to: StreamName("s\(number % 7)"))
        append.commandID = number % 5 == 0 ? "c\(number)" : nil
        try store.append(append)
      }
      let (all, index) = (try store.everything(), store.index)
      var (streams, labeled, made): ([StreamName], [(label: String, range: ClosedRange<Position>)], TransactionLabels) =
        ([], [], TransactionLabels())
      for event in all {
        if !streams.contains(event.stream) { streams.append(event.stream) }
        let own = made.label(of: event)
        let range = all.filter { $0.transaction == event.transaction }.map(\.position)
        try ensureEqual(try index.transaction(of: event), range[0]...range[range.count - 1])
        try ensureEqual(try index.position(ofEventID: event.id.id), event.position)
        if event.position == range[0] {
          labeled.append((event.metadata["transaction"] ?? own, range[0]...range[range.count - 1]))
        }
      }
      try ensureEqual(Set(try index.streamNames()), Set(streams))
      for end in [nil, 0, 1, 7, Position(all.count)] as [Position?] {
        let types = all.filter { $0.position <= end ?? Position(all.count) }.map(\.type)
        let counts = Set(types).map { type in TypeCount(name: type, events: types.count { $0 == type }) }
        try ensureEqual(
          try index.typeCounts(through: end), counts.sorted { ($1.events, $0.name) < ($0.events, $1.name) })
      }
      try ensureEqual(Set(try index.eventTypes()), Set(all.map(\.type)))
      try ensureEqual(
        try index.positions(of: [all[3].id, EventID(source: "none", id: "x"), all[0].id]), [4, nil, 1])
      try ensureEqual(try index.position(ofEventID: "none"), nil)
      for label in ["l1", "l", "m", all[0].id.id, "none", ""] {
        let same = label.isEmpty ? [] : labeled.filter { $0.label == label }.map(\.range)
        let near = label.isEmpty ? [] : labeled.filter { $0.label.hasPrefix(label) }.map(\.range)
        try ensureEqual(try index.ranges(ofTransactionLabel: label), same)
        try ensureEqual(
          try index.ranges(ofTransactionLabel: label, isBeginning: true, limit: 100).filter(near.contains), near)
      }
      let stamps = try index.stamps(after: 2, through: 9, limit: 5)
      try ensureEqual(stamps.map(\.position), Array(3...7))
      try ensureEqual(stamps.map(\.time), all[2...6].map(\.time.microseconds))
      if let found = try index.positions(mentioning: ["\"m\""], after: 0, through: nil, limit: nil, newestFirst: false)
      {
        try ensureEqual(found, all.filter { $0.metadata["transaction"] == "m" }.map(\.position))
      }
      guard let commands = try index.commands() else { return }
      try ensureEqual(commands.map(\.id), ["c0", "c5", "c10", "c15", "c20"])
      for command in commands {
        try ensureEqual(try store.receipt(ofCommand: command.id)?.events, command.events)
        try ensureEqual(command.time, Trial.time)
      }
      let ids = Dictionary(uniqueKeysWithValues: commands.compactMap { one in one.transaction.map { ($0, one.id) } })
      try ensureEqual(try index.commandIDs(ofTransactions: 0...1_000), ids)
    },
    Rule("the statistics match the log's events") { trial in
      let store = try trial.store()
      func check(streamLimit: Int) throws {
        let found = try store.statistics(streamLimit: streamLimit)
        var counted = try store.read { try LogStatistics(of: $0, streamLimit: streamLimit) }
        // The other numbers are of the store, not of its events.
        (counted.format, counted.fileBytes, counted.commitBytes) = (found.format, found.fileBytes, found.commitBytes)
        (counted.commands, counted.hasRemnants) = (found.commands, found.hasRemnants)
        try ensureEqual(found, counted)
      }
      try check(streamLimit: 20)
      for number in 0..<24 {
        var events = (0...number % 3).map { Trial.event("T\((number + $0) % 4)", tags: ["a:\(number % 5)"]) }
        if number % 4 == 0 {
          events[0].payload = #"{"n":"é","name":{"$personal":"ann-\#(number % 3)","value":"Ann"}}"#
          events[0].id = EventID(source: "other-\(number % 2)", id: "\(number)")
        }
        try store.append(Append(events, to: StreamName("s\(number % 7)")))
      }
      for limit in [0, 1, 3, 20] { try check(streamLimit: limit) }
      if store.erasing != nil {
        try store.erase(subject: "ann-1")
        try check(streamLimit: 20)
      }
      let counted = try store.statistics()
      try ensureEqual(counted.commands ?? 0, 0)
      try ensureEqual(counted.sources.count, Set(try store.everything().map(\.id.source)).count)
    },
    Rule("concurrent appends from several threads lose no event") { trial in
      let store = try trial.store()
      let failures = Mutex<[String]>([])
      onThreads(4) { lane in
        let append = Append([Trial.event(), Trial.event()], to: StreamName("s\(lane % 2)"))
        for _ in 0..<15 {
          do { try store.append(append) } catch { failures.withLock { $0.append("\(error)") } }
        }
      }
      try ensureEqual(failures.withLock { $0 }, [])
      let events = try store.everything()
      try ensureEqual(events.map(\.position.rawValue), Array(1...120))
      try ensureEqual(events.map(\.transaction), (0..<120).map { $0 / 2 + 1 })
      for stream in ["s0", "s1"] as [StreamName] {
        try ensureEqual(events.filter { $0.stream == stream }.map(\.version), Array(1...60))
      }
    },
    Rule("if several appends expect the same version of a stream, exactly one of them succeeds") { trial in
      let store = try trial.store()
      let outcomes = Mutex<[String]>([])
      onThreads(4) { _ in
        let outcome: String
        do {
          try store.append(Append([Trial.event()], to: "s", expecting: .doesNotExist))
          outcome = "done"
        } catch {
          outcome = (error as? EventStoreError)?.isConflict == true ? "refused" : "\(error)"
        }
        outcomes.withLock { $0.append(outcome) }
      }
      try ensureEqual(outcomes.withLock { $0.sorted() }, ["done", "refused", "refused", "refused"])
    },
    Rule(
      "a watcher is notified of every commit with events until the watcher's token is canceled, and can read the "
        + "events immediately"
    ) { trial in
      let store = try trial.store()
      let heads = Mutex<[Int]>([])
      let token = store.runtime.watch { [weak store] _ in
        let head = (try? store?.head().rawValue) ?? -1
        heads.withLock { $0.append(head) }
      }
      try store.append(Append([Trial.event()], to: "a"))
      try store.append(Append())
      _ = try? store.append(Append([Trial.event()], to: "a", expecting: .exact(0)))
      try store.append(Append([Trial.event(), Trial.event()], to: "a"))
      try ensureEqual(heads.withLock { $0 }, [1, 3])
      token.cancel()
      try store.append(Append([Trial.event()], to: "a"))
      try ensureEqual(heads.withLock { $0 }, [1, 3])
    },
  ]
}
