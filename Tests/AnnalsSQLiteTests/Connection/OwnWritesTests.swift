import AnnalsLog
import AnnalsTesting
import Testing

@testable import AnnalsSQLite

/// The system's events for a log don't include the writes of one connection, and include those of all others.
@Suite struct OwnWritesTests {
  private let folder: TemporaryFolder
  private let place: LogLocation
  private let (own, other): (SQLiteConnection, SQLiteConnection)
  private let ownWrites = OwnWrites()
  private let events: FileEvents.Observation

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("log")
    (own, other) = try (Self.connection(path), Self.connection(path))
    place = LogLocation(path)
    own.ownWrites = ownWrites
    events = try #require(FileEvents.Observation(place))
  }

  private static func connection(_ path: String) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path, access: .create)
    try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a)")
    return connection
  }

  private func insert(_ connection: SQLiteConnection) throws {
    try connection.write { try connection.execute("INSERT INTO t VALUES (1)") }
  }

  @Test func `own commits cause events until they are excluded`() throws {
    try insert(own)
    #expect(events.forget())
    #expect(!events.forget())
    ownWrites.exclude(from: events)
    for _ in 0..<3 { try insert(own) }
    #expect(!events.forget())
    ownWrites.include(in: events)
    try insert(own)
    #expect(events.forget())
  }

  @Test func `an event of another connection survives own commits that follow`() throws {
    ownWrites.exclude(from: events)
    try insert(other)
    for _ in 0..<3 { try insert(own) }
    #expect(events.forget())
    #expect(!events.forget())
  }

  @Test func `a rollback and a lock that isn't granted leave the events of other connections on`() throws {
    ownWrites.exclude(from: events)
    own.hurry()
    try other.write {
      try other.execute("INSERT INTO t VALUES (1)")
      #expect(throws: EventStoreError.self) { try insert(own) }
    }
    #expect(events.forget())
    #expect(throws: EventStoreError.self) {
      try own.write {
        try own.execute("INSERT INTO t VALUES (1)")
        throw EventStoreError(.io, "")
      }
    }
    events.forget()
    try insert(other)
    #expect(events.forget())
  }

  @Test func `in any order of commits, there is an event if and only if another connection has written`() throws {
    enum Step: Sendable, CaseIterable { case own, other, ownWithoutChange, look }
    let steps = Generator<Step>.element(of: Step.allCases)
    ownWrites.exclude(from: events)
    try check(.array(of: steps, count: 1...30), settings: CheckSettings(examples: 60)) { steps in
      events.forget()
      var hasOthers = false
      for step in steps {
        switch step {
        case .own: try insert(own)
        case .other:
          try insert(other)
          hasOthers = true
        case .ownWithoutChange: try own.write {}
        case .look:
          try ensureEqual(events.forget(), hasOthers)
          hasOthers = false
        }
      }
    }
  }
}
