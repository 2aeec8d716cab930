#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsSQLite
  import AnnalsTesting
  import Foundation
  import Testing

  /// Replicas in files follow the erasures of a real server, in processes that are killed.
  @Suite struct PostgresReplicaErasureTests {
    private static let people = 6

    private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path

    private func everything(_ store: any EventStore) throws -> [StoredEvent] {
      try store.events(.all, after: 0, through: nil, limit: 1_000_000)
    }

    private static func secret(_ person: Int) -> String { "secret of person \(person), who lives in Bern" }

    /// What is said of a person: their secret as a value, and something that stays.
    private static func said(of person: Int, _ number: Int) -> NewEvent {
      NewEvent(
        type: "Said",
        payload: #"{"n":\#(number),"who":{"$personal":"person-\#(person)","value":"\#(secret(person))"}}"#)
    }

    /// The people whose secret is in one of a copy's files.
    private func peopleInFiles() throws -> [Int] {
      let files = try ["", "-wal", "-shm", "-journal"].map { path + $0 }.filter(FileManager.default.fileExists)
        .map { try Data(contentsOf: URL(filePath: $0)) }
      return (0..<Self.people).filter { person in
        files.contains { $0.range(of: Data(Self.secret(person).utf8)) != nil }
      }
    }

    private func removeFiles() {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    @Test func `A replica that was away while two were erased has what the server has, and none of their bytes`()
      async throws
    {
      defer { removeFiles() }
      let server = try TestServer()
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      for number in 0..<60 { try await store.append(Append([Self.said(of: number % 6, number)], to: "s")) }
      do {
        let local = try SQLiteEventStore(path: path)
        try await Replica(of: store, in: local).catchUp()
        local.close()
      }
      #expect(try peopleInFiles() == Array(0..<6))
      try await store.erase(subject: "person-1")
      for number in 60..<70 { try await store.append(Append([Self.said(of: number % 6, number)], to: "t")) }
      try await store.erase(subject: "person-4")
      try await store.append(Append([Self.said(of: 5, 70)], to: "t"))
      let local = try SQLiteEventStore(path: path)
      let replica = Replica(of: store, in: local)
      try await replica.catchUp()
      #expect(try everything(replica.log) == (try await store.events(.all, after: 0, limit: 1_000)))
      // Person 1 was spoken of again after the erasure.
      #expect(try peopleInFiles() == [0, 1, 2, 3, 5])
      try await replica.erase(subject: "person-1")
      #expect(try everything(replica.log) == (try await store.events(.all, after: 0, limit: 1_000)))
      #expect(try peopleInFiles() == [0, 2, 3, 5])
      let report = try local.verify()
      #expect(report.isSound, "\(report)")
      local.close()
    }

    @Test func `A replica that is killed at any moment of following an erasure goes on, and shows nothing half`()
      async throws
    {
      defer { removeFiles() }
      var random = SplitMix64(seed: UInt64.random(in: 0 ... .max))
      let server = try TestServer()
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      var number = 0
      func say(_ count: Int) async throws {
        for _ in 0..<count {
          try await store.append(
            Append((0..<Self.people).map { Self.said(of: $0, number) }, to: StreamName("s\(number % 5)")))
          number += 1
        }
      }
      try await say(150)
      var (caughtHalfway, rounds) = (0, 0)
      while rounds < 12 || caughtHalfway == 0, rounds < 60 {
        rounds += 1
        let child = try Child(["replicate", server.url, options.schema, path, "1"])
        let head = try await store.head()
        while !child.said.contains("has \(head) ") { try await Task.sleep(for: .milliseconds(2)) }
        let subjects = [rounds % Self.people, (rounds + 2) % Self.people]
        let before = try await store.events(.all, after: 0, limit: 100_000)
        func values(_ events: [StoredEvent], of person: Int) -> [Position] {
          events.filter { $0.position <= head && $0.payload?.contains("\"person-\(person)\",\"value\"") == true }
            .map(\.position)
        }
        // The replica is on its way when it is killed: two erasures and later events.
        for subject in subjects { try await store.erase(subject: "person-\(subject)") }
        try await Task.sleep(for: .microseconds(Int.random(in: 0...40_000, using: &random)))
        child.kill()
        _ = await child.finish()
        try await say(2)
        let local = try SQLiteEventStore(path: path)
        let found = try everything(local)
        var states: Set<Bool> = []
        for subject in subjects {
          // Of each person all values are there, or none.
          let left = values(found, of: subject)
          #expect(left.isEmpty || left == values(before, of: subject))
          states.insert(left.isEmpty)
        }
        if states.contains(true),
          try local.checkpoints?.checkpoint(named: "annals:replica:done")
            != local.checkpoints?.checkpoint(named: "annals:replica")
        {
          caughtHalfway += 1
        }
        let report = try local.verify()
        #expect(report.isSound, "\(report)")
        local.close()
      }
      let local = try SQLiteEventStore(path: path)
      let replica = Replica(of: store, in: local)
      try await replica.catchUp()
      #expect(try everything(replica.log) == (try await store.events(.all, after: 0, limit: 100_000)))
      for person in 0..<Self.people { try await replica.erase(subject: "person-\(person)") }
      #expect(try peopleInFiles() == [])
      local.close()
    }

    @Test func `Two processes keep a copy beside writers and erasures, and it is the server's to the byte`()
      async throws
    {
      defer { removeFiles() }
      let server = try TestServer()
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let children = try (0..<2).map { _ in try Child(["replicate", server.url, options.schema, path, "1"]) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<3 {
          group.addTask {
            for number in 0..<60 {
              try await store.append(Append([Self.said(of: number % Self.people, number)], to: "s\(task)"))
            }
          }
        }
        group.addTask { for round in 0..<25 { try await store.erase(subject: "person-\(round % Self.people)") } }
        try await group.waitForAll()
      }
      for person in 0..<3 { try await store.erase(subject: "person-\(person)") }
      let head = try await store.head()
      let local = try SQLiteEventStore(path: path)
      let there = try await store.events(.all, after: 0, limit: 100_000)
      let end = ContinuousClock.now + .seconds(300)
      while try everything(local) != there, .now < end { try await Task.sleep(for: .milliseconds(20)) }
      #expect(try everything(local) == there && head.rawValue == 180)
      for child in children { child.end() }
      for child in children { #expect(await child.finish() == 0, "\(child.complaints)") }
      try await Replica(of: store, in: local).catchUp()
      #expect(try !peopleInFiles().contains { $0 < 3 })
      local.close()
    }

    @Test func `A server that was restored from before an erasure is noticed`() async throws {
      defer { removeFiles() }
      let server = try TestServer()
      let options = server.options()
      let (store, schema) = (try await PostgresEventStore(url: server.url, options: options), options.schema)
      for number in 0..<6 { try await store.append(Append([Self.said(of: number, number)], to: "s")) }
      let local = try SQLiteEventStore(path: path)
      let saved = try await server.sql("SELECT object FROM \(schema).annals_personal WHERE subject = 'person-1'")
      try await store.erase(subject: "person-1")
      try await Replica(of: store, in: local).catchUp()
      // The tables as they were before it.
      try await server.sql(
        """
        UPDATE \(schema).annals_personal SET erasure = NULL, object = '\(saved.trimmingCharacters(in: .newlines))'
          WHERE subject = 'person-1';
        DELETE FROM \(schema).annals_erasure; UPDATE \(schema).annals_log_base SET erasures = 0, lineage = 0;
        """)
      for _ in 0..<2 {
        let error = await #expect(throws: EventStoreError.self) { try await Replica(of: store, in: local).catchUp() }
        #expect(error?.code == .replaced)
        // The next one has the number that the copy has followed, and is another.
        try await store.erase(subject: "person-2")
      }
      local.close()
    }
  }
#endif
