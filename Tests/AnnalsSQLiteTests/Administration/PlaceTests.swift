import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Places in a log by time, transaction, label and command.
@Suite struct PlaceTests {
  private let folder: TemporaryFolder
  private let store: SQLiteEventStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteEventStore(path: folder.path("log"))
  }

  private func append(
    _ ids: [String], source: String = "s", type: String = "T", label: String? = nil, time: Double = 0,
    command: String? = nil
  ) throws {
    var metadata: Metadata = [:]
    metadata["transaction"] = label
    let events = ids.map {
      NewEvent(
        type: type, payload: "1", metadata: metadata, id: EventID(source: source, id: $0),
        time: Date(timeIntervalSince1970: time))
    }
    var append = Append(events, to: "stream")
    append.commandID = command
    try store.append(append)
  }

  /// The transactions of the log, by reading all of it.
  private func transactions() throws -> [(number: Int, range: ClosedRange<Position>, label: String)] {
    var found: [(number: Int, range: ClosedRange<Position>, label: String)] = []
    var labels = TransactionLabels()
    for event in try store.events(.all, after: 0, through: nil, limit: 10_000) {
      let made = labels.label(of: event)
      if found.last?.number == event.transaction {
        found[found.count - 1].range = found[found.count - 1].range.lowerBound...event.position
      } else {
        let label: String = if case .string(let own)? = CloudEvent.ownLabel(of: event) { own } else { made }
        found.append((event.transaction, event.position...event.position, label))
      }
    }
    return found
  }

  @Test func `a transaction is found by its number, by each of its events and by its label`() throws {
    for number in 1...40 {
      try append(
        (0..<(number % 3 + 1)).map { "e\(number)-\($0)" }, label: number % 4 == 0 ? "l\(number)" : nil,
        command: number % 5 == 0 ? "c\(number)" : nil)
    }
    for one in try transactions() {
      #expect(try store.range(ofTransaction: one.number) == one.range)
      for position in one.range.lowerBound.rawValue...one.range.upperBound.rawValue {
        #expect(try store.transaction(at: Position(position)) == one.number)
      }
      #expect(try store.position(ofTransactionLabel: one.label) == one.range.upperBound, "\(one)")
      #expect(try store.ranges(ofTransactionLabel: one.label) == [one.range])
      #expect(try store.commandID(ofTransaction: one.number) == (one.number % 5 == 0 ? "c\(one.number)" : nil))
    }
    for number in [-1, 0, 41, Int.max, Int.min] { #expect(try store.range(ofTransaction: number) == nil) }
    for position in [0, 1_000, Int.max] { #expect(try store.transaction(at: Position(position)) == nil) }
    // A label that only some event's id is, and one that is none.
    #expect(try store.position(ofTransactionLabel: "e2-1") == nil)
    #expect(try store.position(ofTransactionLabel: "none") == nil && store.position(ofTransactionLabel: "") == nil)
    #expect(try store.ranges(ofTransactionLabel: "l", isBeginning: true, limit: 4).count == 4)
    #expect(try store.ranges(ofTransactionLabel: "l3", isBeginning: true).count == 2)
    #expect(try store.ranges(ofTransactionLabel: "e1-", isBeginning: true).map(\.lowerBound) == [1])
    #expect(try store.commandIDs(ofTransactions: 4...10) == [5: "c5", 10: "c10"])
  }

  @Test func `a label is found however it is written, and one that an export makes too`() throws {
    try append(["1"], source: "a")
    try append(["1"], source: "b")
    try append(["1"], source: "c")
    try append(["é\"\\"], label: "quo\"te")
    var metadata: Metadata = [:]
    metadata = try Metadata(json: #"{"transaction":"\u0074x"}"#)
    try store.append(
      Append([NewEvent(type: "T", payload: nil, metadata: metadata, id: EventID(source: "a", id: "9"))], to: "s"))
    let all = try transactions()
    #expect(all.map(\.label) == ["1", "1'", "1", "quo\"te", "tx"])
    #expect(try store.ranges(ofTransactionLabel: "1") == [1...1, 3...3])
    #expect(try store.position(ofTransactionLabel: "1'") == 2)
    #expect(try store.position(ofTransactionLabel: "quo\"te") == 4)
    #expect(try store.position(ofTransactionLabel: "tx") == 5)
    #expect(try store.ranges(ofTransactionLabel: "quo\"", isBeginning: true) == [4...4])
    // The event's own label holds, not its id.
    #expect(try store.position(ofTransactionLabel: "é\"\\") == nil)
  }

  @Test func `a moment's position is the end of the last transaction that is not later, also where times go back`()
    throws
  {
    #expect(try store.position(at: Date()) == 0)
    try append(["1", "2"], time: 10)
    try append(["3"], time: 20)
    try append(["4", "5"], time: 15)
    try append(["6"], time: 30)
    for (time, position) in [(9.0, 0), (10, 2), (15, 2), (20, 5), (29.999_999, 5), (30, 6), (1e9, 6)] {
      #expect(try store.position(at: Date(timeIntervalSince1970: time)) == Position(position), "\(time)")
    }
    // A transaction whose second event is later is later as a whole.
    let events = [40.0, 50].enumerated().map {
      NewEvent(
        type: "T", payload: nil, id: EventID(source: "t", id: "\($0)"), time: Date(timeIntervalSince1970: $1))
    }
    try store.append(Append(events, to: "s"))
    #expect(try store.position(at: Date(timeIntervalSince1970: 45)) == 6)
    #expect(try store.position(at: Date(timeIntervalSince1970: 50)) == 8)
  }

  @Test func `types are counted up to a position, and commands are listed by id and by position`() throws {
    try append(["1", "2"], type: "B", command: "z")
    try append(["3"], type: "A", command: "y")
    try store.append(Append([], commandID: "x"))
    #expect(try store.typeCounts().map { "\($0.name) \($0.events)" } == ["B 2", "A 1"])
    #expect(try store.typeCounts(through: 2).map(\.name) == ["B"] && store.typeCounts(through: 0) == [])
    #expect(try store.commandReceipts(limit: 9).map(\.id) == ["x", "y", "z"])
    #expect(try store.commandReceipts(after: "x", limit: 1).map(\.id) == ["y"])
    let found = try #require(try store.commands())
    #expect(found.map(\.id) == ["z", "y", "x"])
    #expect(found.map(\.events) == [1...2, 3...3, nil] && found.map(\.transaction) == [1, 2, nil])
  }
}
