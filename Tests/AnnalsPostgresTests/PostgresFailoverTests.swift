#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension TestServer.Pair {
    /// Ends the primary some time after it has stopped sending to the standby: what it acknowledges then would be lost.
    func killPrimaryWhileItSendsNothing() async throws {
      let text = try await primary.sql("SELECT pid FROM pg_stat_replication")
      guard let sender = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw TestServer.Failed(description: "expected a process that sends to the standby, found \"\(text)\"")
      }
      kill(sender, SIGSTOP)
      try await Task.sleep(for: .milliseconds(400))
      async let killed: Void = killPrimary()
      // It would be waited for, since it cannot end itself.
      try await Task.sleep(for: .milliseconds(300))
      kill(sender, SIGKILL)
      try await killed
    }
  }

  /// A primary that is lost, and a standby in its place.
  @Suite struct PostgresFailoverTests {
    @Test func `Nothing acknowledged is lost when a synchronous standby takes the primary's place`() async throws {
      try await TestServer.pair(isSynchronous: true) { pair in
        var options = pair.primary.options()
        options.answerTimeout = .seconds(5)
        let journal = Journal()
        var stores: [PostgresEventStore] = []
        for _ in 0..<2 { stores.append(try await PostgresEventStore(url: pair.url, options: options)) }
        let notes = LineNotes()
        let follower = try notes.follower(of: stores[1], partitions: 3)
        let run = Task { try await follower.run() }
        let isDone = Mutex(false)
        async let failover: Void = {
          defer { isDone.withLock { $0 = true } }
          try await Task.sleep(for: .milliseconds(700))
          try await pair.killPrimaryWhileItSendsNothing()
          try await pair.promote()
          // The standby waits for no other one.
          try await pair.standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
          try await pair.standby.sql("SELECT pg_reload_conf()")
          try await Task.sleep(for: .milliseconds(700))
        }()
        try await journal.write(to: stores, tasks: 4, appends: 100_000) { isDone.withLock { $0 } }
        try await failover
        #expect(journal.failures == [])
        try await journal.check(stores[0])
        #expect(try await pair.standby.sql("SELECT pg_is_in_recovery()") == "f\n")
        let head = try await stores[0].head()
        let limit = ContinuousClock.now + .seconds(300)
        while try await follower.position < head, .now < limit { try await Task.sleep(for: .milliseconds(10)) }
        run.cancel()
        try await run.value
        #expect(notes.problems == [] && Set(notes.words).count == head.rawValue)
      }
    }

    /// Reads so often at the same time that the store opens all its connections.
    private static func readTogether(_ store: PostgresEventStore) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = try await store.events(.all, after: 0, limit: 9) } }
        try await group.waitForAll()
      }
    }

    @Test func `A store leaves a standby as soon as its address belongs to the primary`() async throws {
      try await TestServer.pair(isSynchronous: false) { pair in
        let proxy = try FaultyProxy(to: pair.primary.url, SplitMix64(seed: 1))
        defer { proxy.close() }
        let options = pair.primary.options()
        let straight = try await PostgresEventStore(url: pair.primary.url, options: options)
        let append = Append([NewEvent(type: "A", payload: nil)], to: "s")
        try await straight.append(append)
        let place = try await pair.primary.sql("SELECT pg_current_wal_lsn()")
          .trimmingCharacters(in: .whitespacesAndNewlines)
        while try await pair.standby.sql("SELECT pg_last_wal_replay_lsn() >= '\(place)'") != "t\n" {}
        try proxy.redirect(to: pair.standby.url)
        let notes = Notes()
        let store = try await PostgresEventStore(
          url: proxy.url, options: options, environment: StoreEnvironment(monitor: notes))
        // Reads work. While the message of a read is on its way, another read opens a connection.
        let release = proxy.hold(at: options.schema)
        let read = Task { try await store.events(.all, after: 0, limit: 9) }
        while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await store.head() == 1)
        release()
        #expect(try await read.value.count == 1)
        let kinds = notes.reports.map(\.kind)
        // On a slow machine, the store might have closed the connection of the held message.
        let open = kinds.count { $0 == .opened } - kinds.count { $0 == .silent }
        let error = await #expect(throws: EventStoreError.self) { try await store.append(append) }
        #expect(error?.code == .readOnly)
        // The append was also refused on the new connection of its second attempt.
        #expect(notes.reports.count { $0.kind == .standby } > min(open, 2), "\(notes.reports)")
        try await Self.readTogether(store)
        // These connections stay open, although the address now belongs to the primary.
        try proxy.redirect(to: pair.primary.url)
        #expect(try await store.append(append).position == 2)
        // So do connections of calls that only read.
        #expect(try await store.head() == 2)
      }
    }

    @Test func `What an asynchronous standby lost is said by those who had seen it`() async throws {
      try await TestServer.pair(isSynchronous: false) { pair in
        let options = pair.primary.options()
        let store = try await PostgresEventStore(url: pair.url, options: options)
        let copy = MemoryEventStore()
        let replica = Replica(of: store, in: copy)
        for number in 0..<10 { try await store.write("\(number)", to: "s") }
        // The standby has these.
        let place = "SELECT pg_current_wal_lsn()"
        let sent = try await pair.primary.sql(place).trimmingCharacters(in: .whitespacesAndNewlines)
        while try await pair.standby.sql("SELECT pg_last_wal_replay_lsn() >= '\(sent)'") != "t\n" {}
        try await pair.stopStandby()
        for number in 10..<15 { try await store.write("\(number)", to: "s") }
        #expect(try await replica.catchUp() == 15)
        let seen = store.subscription(after: 15)
        try await pair.killPrimary()
        try await pair.startStandby()
        try await pair.promote()
        #expect(try await store.head() == 10)
        let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
        #expect(error?.code == .replaced && error?.position == 10)
        let other = await #expect(throws: EventStoreError.self) { for try await _ in seen {} }
        #expect(other?.code == .replaced)
        // The copy still has what the server lost.
        #expect(copy.head() == 15)
      }
    }
  }
#endif
