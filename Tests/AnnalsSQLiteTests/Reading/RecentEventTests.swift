import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// What a store has just committed comes out of memory, and is what is in the file.
@Suite struct RecentEventTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A step of one of two stores of a log.
  private enum Step: Sendable {
    /// Appends that are committed together; some may be refused.
    case appends([Append])
    case erase
    case compact
    case checkpoint(Int)
  }

  private static let text = Generator<String>.string(of: "ab é\"\\😀", count: 0...12)

  private static let event = Generator<NewEvent> { draw in
    let kind = try draw(.int(in: 0...9))
    let payload: String?
    switch kind {
    case 0: payload = nil
    case 1: payload = #"{"$personal":"ann","value":\#(JSONValue.quoted(try draw(text)))}"#
    // Too long to be kept, or just not.
    case 2: payload = JSONValue.quoted(String(repeating: "é", count: try draw(.int(in: 2_040...2_050))))
    default: payload = JSONValue.quoted(try draw(text))
    }
    // One of a few identities, so that some are refused.
    let id = try draw(.int(in: 0...60))
    let (hasTags, hasMetadata, hasTime) = (kind > 6, kind % 2 == 1, try draw(.bool))
    return NewEvent(
      type: "T\(kind % 4)", schema: kind % 3 + 1, payload: payload,
      tags: hasTags ? Set(try draw(.array(of: text, count: 0...2)).filter { !$0.isEmpty }.map { EventTag($0) }) : [],
      metadata: hasMetadata ? ["actor": try draw(text), "n": "1"] : [:],
      id: id < 9 ? EventID(source: "s", id: id < 5 ? "\(id)" : "0190b2c0-0000-7000-8000-00000000000\(id)") : nil,
      time: hasTime ? Date(timeIntervalSince1970: try draw(.double(in: -1e9...1e9))) : nil)
  }

  private static let append = Generator<Append> { draw in
    let count = try draw(.int(in: 0...19)) == 0 ? try draw(.int(in: 60...140)) : try draw(.int(in: 0...4))
    var append = Append(
      try (0..<count).map { _ in
        if try draw(.int(in: 0...4)) == 0 {
          let event = try EventCoder<TallyEvent>().encode(.changed(by: try draw(.int(in: -9...9))))
          return Append.Entry(stream: "Tally-a", event: event)
        }
        // Two names that are canonically equal are two streams.
        return Append.Entry(
          stream: ["a", "e\u{301}", "\u{e9}", "b"][try draw(.int(in: 0...3))], event: try draw(event))
      })
    if try draw(.int(in: 0...5)) == 0 { append.expectations["a"] = .exact(try draw(.int(in: 0...3))) }
    if try draw(.int(in: 0...5)) == 0 { append.commandID = "c\(try draw(.int(in: 0...3)))" }
    return append
  }

  /// How many of the last events are asked for: mostly few, as after a commit.
  private static let back = Generator<Int> { draw in
    try draw(.int(in: 0...3)) == 0 ? try draw(.int(in: 0...70)) : try draw(.int(in: 0...6))
  }

  private static let step = Generator<Step> { draw in
    switch try draw(.int(in: 0...24)) {
    case 0: return .erase
    case 1: return .compact
    case 2: return .checkpoint(try draw(.int(in: 0...9)))
    default: return .appends(try (0..<draw(.int(in: 1...4))).map { _ in try draw(append) })
    }
  }

  /// What came of the steps of all cases: nothing is shown of what never happens.
  private struct Outcomes {
    var (refusals, erased, cut, kept) = (0, 0, 0, 0)
  }

  private static func run(_ step: Step, _ store: SQLiteEventStore, _ outcomes: inout Outcomes) throws {
    switch step {
    case .appends(let appends): outcomes.refusals += try store.commit(appends).refusal == nil ? 0 : 1
    case .erase: outcomes.erased += try store.erase(subject: "ann").fields
    case .compact:
      // Cuts what was said last, too: one event says all.
      var compaction = Compaction()
      compaction.rewrite(TallyEvent.self) { _, events in
        var total = 0
        for case .changed(let by) in events.map(\.event) { total += by }
        return events.isEmpty ? [] : [events[0].replaced(by: .changed(by: total))]
      }
      compaction.prove(Tally.self)
      outcomes.cut += try store.compact(compaction).cut
    case .checkpoint(let position):
      let table = try #require(store.checkpoints)
      _ = try table.setCheckpoint(named: "c", to: Position(position), from: table.checkpoint(named: "c"))
    }
  }

  /// A step, which store takes it, and what is asked for afterwards.
  private typealias Turn = (isOther: Bool, step: Step, back: Int, limit: Int)

  /// Takes steps in a new log, and compares the tails of both stores with what a third one reads, after each of them.
  private func follow(_ turns: [Turn], in log: String) throws -> Outcomes {
    var outcomes = Outcomes()
    let path = folder.path(log)
    let stores = [try SQLiteEventStore(path: path), try SQLiteEventStore(path: path)]
    let reader = try SQLiteEventStore(readingFrom: path)
    for (isOther, step, back, limit) in turns {
      try Self.run(step, stores[isOther ? 1 : 0], &outcomes)
      let head = try reader.head()
      let after = Position(max(0, head.rawValue - back))
      let wanted = try reader.events(.all, after: after, through: nil, limit: limit)
      for store in stores {
        if try kept(store, after: after)?.isEmpty == false { outcomes.kept += 1 }
        let tail = try store.tail(after: after, through: nil, limit: limit)
        try ensureEqual(tail.head, head)
        try ensureEqual(tail.revision, try reader.revision())
        try ensureEqual(tail.batch.events, wanted)
      }
    }
    for store in stores + [reader] { store.close() }
    return outcomes
  }

  @Test func `tails are the events of the file, whichever store appended, refused, erased or compacted last`() throws {
    // What is rare is sure to happen in these.
    let tally = Append(
      [try EventCoder<TallyEvent>().encode(.changed(by: 1)), try EventCoder<TallyEvent>().encode(.changed(by: 2))],
      to: "Tally-a")
    let personal = said(1, #"{"$personal":"ann","value":1}"#)
    let refused = Append(said(1).entries, expectations: ["s": .exact(9)])
    for isOther in [false, true] {
      let turns: [Turn] = [
        (isOther, .appends([tally]), 2, 9), (isOther, .appends([said(1), refused]), 1, 9),
        (isOther, .checkpoint(1), 2, 9), (isOther, .appends([said(2)]), 2, 1), (!isOther, .compact, 5, 9),
        (isOther, .appends([tally]), 2, 9), (isOther, .compact, 2, 9), (isOther, .appends([personal]), 1, 9),
        (!isOther, .erase, 3, 9), (isOther, .appends([said(1)]), 1, 9),
      ]
      let outcomes = try follow(turns, in: "named \(isOther)")
      #expect(outcomes.refusals == 1 && outcomes.erased == 1 && outcomes.cut == 3 && outcomes.kept == 5, "\(outcomes)")
    }
    var number = 0
    // Mostly the first one, so that it goes on for a while.
    let turn = zip(.int(in: 0...11), Self.step, Self.back, .int(in: 1...80)).map { which, step, back, limit in
      Turn(which == 0, step, back, limit)
    }
    try check(.array(of: turn, count: 1...40), settings: CheckSettings(examples: 80)) { turns in
      number += 1
      _ = try follow(turns, in: "log \(number)")
    }
  }

  /// The events that the store would give out of memory; nil if it would read them.
  private func kept(_ store: SQLiteEventStore, after: Position) throws -> [StoredEvent]? {
    let head = try store.head()
    let batch = try #require(store.writer).useIfFree { $0.writer.recent.batch(after: after, through: head, limit: 100) }
    return batch?.events
  }

  private func said(_ count: Int, _ payload: String = "1") -> Append {
    Append((0..<count).map { _ in NewEvent(type: "T", payload: payload) }, to: "s")
  }

  @Test func `the last sixty-four events are kept, until another store or this one changes the log otherwise`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let other = try SQLiteEventStore(path: folder.path("log"))
    for _ in 0..<200 {
      try store.append(said(1))
      let head = try store.head()
      let after = Position(max(0, head.rawValue - 64))
      #expect(try kept(store, after: after)?.count == head.rawValue - after.rawValue)
    }
    #expect(try kept(store, after: 200) == nil && kept(store, after: 0) == nil)
    #expect(try kept(store, after: 199) == store.events(.all, after: 199, through: nil, limit: 9))
    #expect(try store.tail(after: 190, through: nil, limit: .max).batch.count == 10)
    #expect(try store.tail(after: 190, through: nil, limit: 3).batch.events.map(\.position) == [191, 192, 193])
    try other.append(said(1))
    #expect(try store.tail(after: 199, through: nil, limit: 9).batch.count == 2)
    #expect(try kept(store, after: 199) == nil)
    try store.append(said(3))
    #expect(try kept(store, after: 200) == nil)
    #expect(try kept(store, after: 201)?.count == 3)
    // A refused append takes nothing with it.
    #expect(throws: EventStoreError.self) { try store.append(Append(said(1).entries, expectations: ["s": .exact(9)])) }
    #expect(try kept(store, after: 201)?.count == 3)
    try store.erase(subject: "ann")
    #expect(try kept(store, after: 201) == nil)
  }

  @Test func `neither many events at once nor a long one nor one with personal fields is kept`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for append in [
      said(65), said(1, JSONValue.quoted(String(repeating: "a", count: 4_095))),
      said(1, #"{"$personal":"ann","value":1}"#),
    ] {
      try store.append(append)
      let after = Position(try store.head().rawValue - 1)
      #expect(try kept(store, after: after) == nil)
      #expect(try store.tail(after: after, through: nil, limit: 9).batch.count == 1)
    }
    let metadata: Metadata = ["note": String(repeating: "a", count: 4_096)]
    try store.append(Append([NewEvent(type: "T", payload: nil, metadata: metadata)], to: "s"))
    #expect(try kept(store, after: 67) == nil)
    try store.append(said(64))
    #expect(try kept(store, after: 68)?.count == 64)
    try store.append(said(1, JSONValue.quoted(String(repeating: "a", count: 4_094))))
    #expect(try kept(store, after: 131)?.count == 2)
  }

  @Test(arguments: [false, true])
  func `a compaction takes what was kept with it, whichever store compacts`(byOther: Bool) throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let other = try SQLiteEventStore(path: folder.path("log"))
    for _ in 0..<3 { try store.append([TallyEvent.changed(by: 1)], to: "Tally-a") }
    #expect(try kept(store, after: 0)?.count == 3)
    var outcomes = Outcomes()
    try Self.run(.compact, byOther ? other : store, &outcomes)
    #expect(outcomes.cut == 2)
    let tail = try store.tail(after: 0, through: nil, limit: 9)
    let left = try other.events(.all, after: 0, through: nil, limit: 9)
    #expect(tail.head == 3 && tail.batch.events == left && left.count == 1)
  }

  @Test func `an event is kept with the identity that it has in the log`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    // What is made now comes before this one, so that others are made in its place.
    let last = EventID(source: store.source, id: "fffffff0-0000-7000-8000-000000000000")
    try store.append(Append([NewEvent(type: "T", payload: nil, id: last)], to: "s"))
    for _ in 0..<9 { try store.append(said(2)) }
    #expect(try kept(store, after: 0) == store.events(.all, after: 0, through: nil, limit: 99))
    #expect(try kept(store, after: 0)?.count == 19)
  }
}
