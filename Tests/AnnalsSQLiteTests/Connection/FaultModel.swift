import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation

/// What must be in a log, as far as its answers say.
struct FaultModel: Sendable {
  /// What an operation answered.
  enum Outcome: Hashable, Sendable {
    case done
    /// It failed, and the error says that nothing was done.
    case refused
    /// It failed, and may have been done.
    case unknown
  }

  struct Append: Sendable {
    let number: Int
    var outcome: Outcome
    /// Where its last event is, if it was answered.
    var position: Position?
    let hasID: Bool
  }

  struct Erasure: Sendable {
    let subject: String
    /// The appends before it.
    let numbers: Set<Int>
    /// Those that may have been done before it.
    let others: Set<Int>
    var outcome: Outcome
  }

  var appends: [Int: Append] = [:]
  var erasures: [Erasure] = []
  var mayBeCompacted = false
  /// The positions that the follower may have.
  var follower: Set<Position?> = [nil]

  /// True if the row that an append put may be there without its text, and if it must.
  func erasure(of number: Int, _ subject: String) -> (may: Bool, must: Bool) {
    let found = erasures.filter { $0.subject == subject && $0.outcome != .refused }
    return (
      found.contains { $0.numbers.contains(number) || $0.others.contains(number) },
      found.contains { $0.outcome == .done && $0.numbers.contains(number) }
    )
  }
}

extension FaultModel {
  /// Checks a log, what is kept beside it, and lists of it.
  func check(_ store: SQLiteEventStore, _ when: String) throws {
    let events = try store.events(.all, after: 0, through: nil, limit: 100_000)
    let head = try store.head()
    if !mayBeCompacted {
      try ensure(events.map(\.position.rawValue) == (0..<head.rawValue).map { $0 + 1 }, "\(when) there are holes")
    }
    let report = try store.verify()
    try ensure(report.isSound, "\(when) \(report.problems)")
    let present = try present(events, store, when)
    try checkTally(events, present, when)
    let rows = rows(present)
    for name in [nil, "rows"] {
      let list = FetchedResultsController(
        store: store, projection: FaultRows(), request: FaultRows.request, cacheName: name)
      try list.performFetch()
      try ensure(list.position == head, "\(when) the list is at \(list.position)")
      try checkList(list.results, rows, "\(when) the list \(name ?? "made of events")")
    }
    let follower = try store.checkpoints?.checkpoint(named: "follower")
    try ensure(self.follower.contains(follower), "\(when) the follower is at \(follower as Any)")
  }

  /// The appends that the log has, in their order, with the positions of their last events.
  private func present(
    _ events: [StoredEvent], _ store: SQLiteEventStore, _ when: String
  ) throws -> [(number: Int, position: Position)] {
    let found = Dictionary(grouping: events) { Self.number($0) }.mapValues { $0.map(\.position.rawValue) }
    try ensure(found.keys.allSatisfy { appends[$0] != nil }, "\(when) an unknown append")
    // The answers to all of the last commands, and to some of the others.
    let asked = appends.values.filter { $0.hasID && ($0.number + 16 > appends.count || $0.number % 8 == 0) }
    let receipts = try store.read { log in
      try Dictionary(
        uniqueKeysWithValues: asked.map { ($0.number, try log.receipt(ofCommand: Self.commandID($0.number))) })
    }
    return try appends.values.compactMap { append -> (number: Int, position: Position)? in
      let here = found[append.number] ?? []
      let (receipt, isAsked) = (receipts[append.number] ?? nil, receipts[append.number] != nil)
      let count = Self.count(append.number)
      // A compaction takes events, and not the answers to commands.
      if !mayBeCompacted {
        try ensure(here.isEmpty || here.count == count, "\(when) half of append \(append.number)")
        try ensure(here.last == nil || here.last.map { $0 - count + 1 } == here.first, "\(when) a hole in an append")
        if isAsked {
          try ensure(receipt?.position.rawValue == here.last, "\(when) command \(append.number) has another answer")
        }
      }
      let position = append.position ?? receipt?.position ?? here.last.map { Position($0) }
      switch append.outcome {
      case .done:
        try ensure(append.position != nil, "\(when) append \(append.number) was lost: it has no answer")
        try ensure(
          mayBeCompacted || here.last == append.position?.rawValue, "\(when) append \(append.number) was lost")
        if isAsked {
          try ensure(receipt?.position == append.position, "\(when) the answer to append \(append.number) was lost")
        }
      case .refused:
        try ensure(here.isEmpty && receipt == nil, "\(when) append \(append.number) was refused, and is there")
        return nil
      case .unknown: if here.isEmpty, receipt == nil { return nil }
      }
      guard let position else { return nil }
      return (append.number, position)
    }.sorted { $0.position < $1.position }
  }

  private func checkTally(
    _ events: [StoredEvent], _ present: [(number: Int, position: Position)], _ when: String
  ) throws {
    var coder = try EventCoder<FaultTallyEvent>()
    let counts = try events.filter { $0.stream == FaultTally.stream("all") }.map { event in
      guard case .counted(let count)? = try coder.decode(type: event.type, payload: event.payload) else { return 0 }
      return count
    }
    try ensure(counts == counts.indices.map { $0 + 1 }, "\(when) the decider counted \(counts)")
    try ensure(
      counts.count == present.count { $0.number % 4 == 3 }, "\(when) the decider counted \(counts.count) times")
  }

  /// The rows after some appends, by id.
  private func rows(_ present: [(number: Int, position: Position)]) -> [Int: (row: PowerRow, number: Int)] {
    var rows: [Int: (row: PowerRow, number: Int)] = [:]
    for (number, _) in present { Self.fold(number, into: &rows) }
    return rows
  }

  private static func fold(_ number: Int, into rows: inout [Int: (row: PowerRow, number: Int)]) {
    if number % 4 == 3 { return }
    for event in FaultStep.events(number) {
      switch event {
      case .put(let row): rows[row.id] = (row, number)
      case .removed(let id): rows[id] = nil
      }
    }
  }

  /// The rows in the list's order: the last shelf first.
  private static func inOrder(_ rows: [Int: (row: PowerRow, number: Int)]) -> [(row: PowerRow, number: Int)] {
    rows.values.sorted { ($1.row.shelf, $0.row.id) < ($0.row.shelf, $1.row.id) }
  }

  private func checkList(
    _ list: Results<PowerRow>, _ rows: [Int: (row: PowerRow, number: Int)], _ when: String
  ) throws {
    let expected = Self.inOrder(rows)
    let found = Array(list.rows)
    try ensure(found.map(\.id) == expected.map(\.row.id), "\(when) has other rows")
    var fates: [String: Set<Bool>] = [:]
    for (found, (row, number)) in zip(found, expected) {
      try ensure(found.shelf == row.shelf, "\(when) has row \(row.id) elsewhere")
      let erasure = erasure(of: number, row.text.subject)
      if found.text.isErased {
        try ensure(erasure.may, "\(when) lost the text of row \(row.id)")
      } else {
        try ensure(!erasure.must, "\(when) has an erased text in row \(row.id)")
        try ensure(found.text == row.text, "\(when) has another text in row \(row.id)")
      }
      if erasure.may, !erasure.must, appends[number]?.outcome == .done {
        fates[row.text.subject, default: []].insert(found.text.isErased)
      }
    }
    try ensure(fates.values.allSatisfy { $0.count == 1 }, "\(when) erased half of a subject")
  }

  /// Checks what a live list showed at positions of the log.
  func checkShown(_ lists: [Results<PowerRow>]) throws {
    var rest = answered[...]
    var rows: [Int: (row: PowerRow, number: Int)] = [:]
    for list in lists.sorted(by: { $0.position < $1.position }) {
      while let next = rest.first, next.position <= list.position {
        Self.fold(next.number, into: &rows)
        rest.removeFirst()
      }
      try ensure(
        list.rows.map { [$0.id, $0.shelf] } == Self.inOrder(rows).map { [$0.row.id, $0.row.shelf] },
        "the list showed at \(list.position) what the log does not say")
    }
  }

  /// The appends that the log has in the end, when each was answered.
  var answered: [(number: Int, position: Position)] {
    appends.values.compactMap { append in append.position.map { (append.number, $0) } }
      .sorted { $0.position < $1.position }
  }

  /// Which append an event is of; 0 if it is of none.
  static func number(_ event: StoredEvent) -> Int { event.metadata["n"].flatMap { Int($0) } ?? 0 }
  static func mark(_ number: Int) -> Metadata { ["n": "\(number)"] }
  static func commandID(_ number: Int) -> String { "command \(number)" }
  private static func count(_ number: Int) -> Int { number % 4 == 3 ? 1 : FaultStep.events(number).count }
}
