import Annals
@testable import AnnalsSQLite
import Foundation
import Testing

/// Logs with tables, indexes or triggers that another program changed.
@Suite struct ForeignSchemaTests {
  private let folder: TemporaryFolder
  private let whole: Data

  init() throws {
    folder = try TemporaryFolder()
    do {
      let store = try SQLiteEventStore(path: folder.path("whole"))
      for number in 0..<20 {
        try store.append(
          Append(
            [.init(stream: "s", event: NewEvent(type: "T", payload: "\(number)", tags: ["t"]))],
            commandID: "c\(number)"))
      }
      #expect(try store.checkpoints?.setCheckpoint(named: "follower/f", to: 7, from: nil) == true)
    }
    whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole")))
  }

  /// The log, changed by SQL.
  private func changed(_ sql: String) throws -> String {
    let path = folder.path("changed")
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try whole.write(to: URL(fileURLWithPath: path))
    try TestDatabase(path).execute(sql)
    return path
  }

  @Test(arguments: [
    "CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM personal; END",
    "CREATE TRIGGER evil BEFORE DELETE ON checkpoint BEGIN SELECT 1; END",
    "ALTER TABLE event RENAME TO hidden; CREATE VIEW event AS SELECT * FROM hidden WHERE position < 10",
    "ALTER TABLE meta RENAME TO hidden; CREATE VIEW meta AS SELECT * FROM hidden",
    "ALTER TABLE event_tag RENAME TO hidden; CREATE VIRTUAL TABLE event_tag USING fts4(tag, position)",
    "ALTER TABLE checkpoint ADD COLUMN more TEXT GENERATED ALWAYS AS (name || 'x') VIRTUAL",
    "CREATE INDEX extra ON event (type, position)",
    "CREATE INDEX extra ON event (length(payload))",
    "DROP TRIGGER event_is_never_changed; "
      + "CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event BEGIN SELECT 1; END",
    "DROP TABLE event_tag", "DROP TABLE command",
    "DROP TABLE gap; CREATE TABLE gap (first INTEGER PRIMARY KEY, last INTEGER)",
    "CREATE TABLE snapshot (stream TEXT)",
    "CREATE VIEW cache AS SELECT 1 AS number",
  ])
  func `a log is refused whose tables, indexes or triggers are not Annals' own`(_ sql: String) throws {
    let path = try changed(sql)
    for writing in [true, false] {
      let error = #expect(throws: EventStoreError.self) {
        _ = try writing ? SQLiteEventStore(path: path) : SQLiteEventStore(readingFrom: path)
      }
      #expect(
        error?.code == .corrupt && error?.message.contains("another program changed it") == true,
        "\(String(describing: error))")
    }
  }

  @Test(arguments: [
    ("DROP TRIGGER event_is_never_deleted", "the trigger event_is_never_deleted is missing"),
    ("DROP TRIGGER command_is_never_changed", "the trigger command_is_never_changed is missing"),
    ("CREATE TABLE other (a)", "the table \"other\" doesn't belong to Annals"),
    ("CREATE VIEW other AS SELECT 1", "the view \"other\" doesn't belong to Annals"),
    ("UPDATE checkpoint SET position = 9", "the checkpoint \"follower/f\" with the position 9 is damaged"),
    ("UPDATE checkpoint SET position = -1", "the checkpoint \"follower/f\" with the position -1 is damaged"),
    ("DROP TRIGGER command_is_never_changed; UPDATE command SET id = 'c99' WHERE id = 'c9'", "checksum doesn't match"),
    ("DROP TRIGGER command_is_never_changed; UPDATE command SET count = 0 WHERE id = 'c9'", "checksum doesn't match"),
  ])
  func `what another program changed is found by a check, and the log is read`(_ sql: String, _ message: String) throws
  {
    let store = try SQLiteEventStore(readingFrom: changed(sql))
    let report = try store.verify()
    #expect(report.problems.contains { $0.description.contains(message) }, "\(report)")
    #expect(try store.events(.all, after: 0, through: nil, limit: 99).count == 20)
  }

  @Test func `a command whose answer was changed is not executed a second time`() throws {
    let path = try changed(
      "DROP TRIGGER command_is_never_changed; UPDATE command SET position = 1, count = 1 WHERE id = 'c9'")
    let store = try SQLiteEventStore(path: path)
    let error = #expect(throws: EventStoreError.self) {
      try store.append(
        Append([.init(stream: "s", event: NewEvent(type: "T", payload: nil))], commandID: "c9"))
    }
    #expect(error?.code == .corrupt && error?.message.contains("the command \"c9\"") == true)
    #expect(try store.head() == 20)
  }

  @Test func `an answer that fits no event is found even with a right checksum`() throws {
    let path = folder.path("answers")
    try whole.write(to: URL(fileURLWithPath: path))
    let store = try SQLiteEventStore(path: path)
    #expect(try store.verify().isSound)
    // The answer of the log before an event of another stream took that position.
    try store.writing { connection in
      try connection.execute("DELETE FROM command WHERE id = 'c9'")
      try CommandReceipts(connection).keep(
        Receipt(position: 10, count: 2, transaction: 10, versions: ["s": 12]), ofCommand: "c9", at: 0)
    }
    let report = try store.verify()
    #expect(report.problems.count == 2, "\(report)")
  }

  @Test func `a trigger that comes while a log is open does not run in its appends`() throws {
    let path = try changed("SELECT 1")
    let store = try SQLiteEventStore(path: path)
    try TestDatabase(path).execute(
      "CREATE TRIGGER evil AFTER INSERT ON event BEGIN "
        + "DELETE FROM checkpoint; INSERT INTO meta VALUES ('evil', 'ran'); END")
    try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
    #expect(try store.checkpoints?.checkpoint(named: "follower/f") == 7)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM meta WHERE name = 'evil'") == 0)
    #expect(
      try store.verify().problems.contains {
        $0.message.contains(
          "\"evil\" on the table event doesn't belong to Annals")
      })
  }

  @Test func `a log that was copied without its commits is noticed, where its file can say so`() throws {
    let path = folder.path("open")
    let store = try SQLiteEventStore(path: path)
    for number in 0..<3 { try store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s")) }
    try FileManager.default.copyItem(atPath: path, toPath: folder.path("part"))
    let part = try SQLiteEventStore(readingFrom: folder.path("part"))
    #expect(
      try part.verify().problems.contains { $0.message.contains("The write-ahead log (-wal) was not copied or moved") })
    part.close()
    // With its commits the log is complete.
    for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: folder.path("both" + end)) }
    let both = try SQLiteEventStore(readingFrom: folder.path("both"))
    #expect(try both.verify().isSound && both.head() == 3)
    // It is also complete after it was closed.
    store.close()
    let closed = try SQLiteEventStore(readingFrom: path)
    #expect(try closed.verify().isSound && closed.head() == 3)
  }
}
