import Annals
import AnnalsLog
import Foundation
import Testing

@testable import AnnalsSQLite

/// A list that needs no event, whatever is cut.
private struct NoTools: Projection {
  func project(_ event: ToolEvent, into rows: inout Rows<Tool>) {}
}

/// Logs written by hand, with matching checksums: every number can be any 64-bit number.
@Suite struct HostileNumberTests {
  private static let ends: [Int64] = [.min, .min + 1, -1, 0, 1 << 53, 1 << 62, .max - 1, .max]

  /// True to try every extreme in every column: `ANNALS_HOSTILE=all swift test --filter HostileNumberTests`.
  private static let asksAll = ProcessInfo.processInfo.environment["ANNALS_HOSTILE"] == "all"

  /// The number columns, by table.
  private static let columns: [(table: String, columns: [String])] = [
    ("event", ["position", "\"transaction\"", "stream", "version", "type", "schema", "source", "time", "checksum"]),
    ("stream", ["key"]), ("type", ["key"]), ("source", ["key"]), ("event_tag", ["position"]),
    ("command", ["time", "position", "count", "\"transaction\"", "checksum"]), ("checkpoint", ["position", "time"]),
    ("personal", ["position", "place"]), ("erasure", ["number", "position", "time", "fields", "complete"]),
    ("compaction", ["number", "position", "\"transaction\"", "time", "cut", "replaced", "identities", "complete"]),
    ("gap", ["first", "last"]), ("cut_event", ["identity", "position"]), ("cut_stream", ["stream", "version"]),
    ("sqlite_sequence", ["seq"]), ("cache", ["number", "generation", "position", "checksum", "used"]),
    ("cache_page", ["id", "checksum"]), ("snapshot", ["version", "position", "checksum"]), ("meta", ["value"]),
  ]

  private let log: DamagedLog

  init() throws {
    log = try DamagedLog { store in
      var compaction = Compaction(through: 12)
      compaction.rewrite(ToolEvent.self) { _, events in Array(events.dropFirst()) }
      compaction.prove(NoTools())
      try store.compact(compaction)
      for number in 0..<3 {
        let event = NewEvent(type: "ToolBroke", payload: #"{"id":\#(number)}"#)
        try store.append(Append([.init(stream: "Tools-9", event: event)], commandID: "late \(number)"))
      }
    }
  }

  @Test(arguments: columns.map(\.table))
  func `numbers at the ends of the integers lead to an answer or an error`(_ table: String) throws {
    let columns = Self.columns.first { $0.table == table }?.columns ?? []
    for (number, column) in columns.enumerated() {
      for (index, end) in Self.ends.enumerated() where Self.asksAll || (index + number) % 4 == 0 {
        let path = log.folder.path("damaged")
        try log.write(log.whole)
        let order = index % 2 == 0 ? "ASC" : "DESC"
        do {
          let database = try TestDatabase(path)
          try database.dropTriggers()
          let key = [
            "event_tag": "tag", "command": "id", "checkpoint": "name", "personal": "position", "meta": "name",
          ][table]
          // One row, or all rows if their values may be equal.
          let one = key.map { "\($0) = (SELECT \($0) FROM \(table) ORDER BY \($0) \(order) LIMIT 1)" }
          let row = one ?? "rowid = (SELECT rowid FROM \(table) ORDER BY rowid \(order) LIMIT 1)"
          // Some numbers are refused, because two rows may not have the same one.
          try? database.execute("UPDATE OR IGNORE \(table) SET \(column) = \(end) WHERE \(row)")
          if column != "checksum" { try mend(database) }
        }
        try askAll(path)
      }
    }
  }

  @Test func `a receipt with a number that no log can have is an error`() throws {
    for column in ["position", "count", "\"transaction\""] {
      for number in [Int64.min, -1, LogNumber.most + 1, .max] {
        let path = log.folder.path("damaged")
        try log.write(log.whole)
        do {
          let database = try TestDatabase(path)
          try database.dropTriggers()
          try database.execute("UPDATE command SET \(column) = \(number) WHERE id = 'command 7'")
          try mend(database)
        }
        let store = try SQLiteEventStore(readingFrom: path)
        let error = #expect(throws: EventStoreError.self) { try store.receipt(ofCommand: "command 7") }
        #expect(error?.code == .corrupt && error?.message.contains("out of range") == true, "\(error as Any)")
      }
    }
  }

  /// Gives every row its matching checksum.
  private func mend(_ database: TestDatabase) throws {
    let rows = try database.rows(
      """
      SELECT
        position, "transaction", stream.name, version, type.name, schema, source.name, \(TestDatabase.idSQL), time,
        tags, payload, \(TestDatabase.metadataSQL)
      FROM event JOIN stream ON stream.key = stream JOIN type ON type.key = type JOIN source ON source.key = source
      """)
    for row in rows {
      func int(_ index: Int) -> Int64 { row[index].flatMap { Int64($0) } ?? 0 }
      let sum = EventChecksum.of(
        position: Int(int(0)), transaction: Int(int(1)), stream: row[2] ?? "", version: Int(int(3)), type: row[4] ?? "",
        schema: Int(int(5)), source: row[6] ?? "", id: row[7] ?? "", time: int(8), tagText: row[9] ?? "",
        payload: row[10], metadataText: row[11] ?? "")
      try database.execute("UPDATE event SET checksum = \(sum) WHERE position = \(int(0))")
    }
    for row in try database.rows(
      "SELECT id, time, position, count, coalesce(\"transaction\", 0), versions FROM command")
    {
      func int(_ index: Int) -> Int64 { row[index].flatMap { Int64($0) } ?? 0 }
      let sum = CommandReceipts.Row(
        id: row[0] ?? "", time: int(1), position: int(2), count: int(3), transaction: int(4), versions: row[5] ?? ""
      ).checksum
      try database.execute("UPDATE command SET checksum = \(sum) WHERE id = '\(row[0] ?? "")'")
    }
    for row in try database.rows("SELECT name, position, time FROM checkpoint") {
      let sum = Checkpoints.Row(
        name: row[0] ?? "", position: row[1].flatMap { Int64($0) } ?? 0, time: row[2].flatMap { Int64($0) } ?? 0
      ).checksum
      try database.execute("UPDATE checkpoint SET checksum = \(sum) WHERE name = '\(row[0] ?? "")'")
    }
    for row in try database.rows("SELECT position, place, subject, object FROM personal") {
      func int(_ index: Int) -> Int64 { row[index].flatMap { Int64($0) } ?? 0 }
      let sum = PersonalTables.checksum(
        of: PersonalField(subject: row[2] ?? "", object: row[3]), at: int(0), Int(int(1)))
      try database.execute("UPDATE personal SET checksum = \(sum) WHERE position = \(int(0)) AND place = \(int(1))")
    }
  }

  /// Reads everything and writes everything that is possible; the rest is an error.
  private func askAll(_ path: String) throws {
    func attempt(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch is EventStoreError {
      } catch is ProjectionError {
      } catch is CompactionError {
      }
    }
    for (_, ask) in DamagedLog.allQuestions { try attempt { _ = try ask(path) } }
    try attempt {
      let store = try SQLiteEventStore(readingFrom: path)
      try attempt { _ = try store.verify() }
      try attempt { _ = try store.statistics() }
      try attempt { _ = try store.backUp(to: log.folder.path("copy")) }
      try? FileManager.default.removeItem(atPath: log.folder.path("copy"))
    }
    try attempt {
      let store = try SQLiteEventStore(path: path)
      try attempt {
        try store.append(
          Append([NewEvent(type: "ToolBroke", payload: #"{"id":1}"#, tags: ["all"])], to: "Tools-0"))
      }
      try attempt { try store.erase(subject: "maker 2") }
      try attempt {
        var compaction = Compaction(through: 20)
        compaction.rewrite(ToolEvent.self) { _, events in Array(events.dropFirst()) }
        compaction.prove(NoTools())
        try store.compact(compaction)
      }
    }
  }
}
