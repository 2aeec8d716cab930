#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  /// A network that cuts, delays and halves messages.
  @Suite struct PostgresProxyTests {
    private static let rounds = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_MOMENTS"].flatMap(Int.init) ?? 100

    @Test func `What was acknowledged is there once, however the network cuts, delays and halves messages`()
      async throws
    {
      let seed = UInt64.random(in: 0 ... .max)
      let server = try TestServer()
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: seed))
      defer { proxy.close() }
      let options = server.options { $0.answerTimeout = .milliseconds(400) }
      let journal = Journal()
      // It makes the log, since on a full machine that takes longer than the others wait for an answer.
      let straight = try await PostgresEventStore(
        url: server.url, options: server.options { $0.schema = options.schema })
      var stores: [PostgresEventStore] = []
      for _ in 0..<2 { stores.append(try await PostgresEventStore(url: proxy.url, options: options)) }
      let notes = LineNotes()
      let follower = try notes.follower(of: stores[1], partitions: 2)
      let run = Task { try await follower.run() }
      let copy = MemoryEventStore()
      let near = Replica(of: stores[0], in: copy)
      let replica = Task { try await near.run() }
      proxy.faults = FaultyProxy.Faults(delays: 50, halves: 50, cuts: 15, silences: 3)
      try await journal.write(to: stores, tasks: 4, appends: 100_000) {
        proxy.counts.cuts + proxy.counts.silences >= Self.rounds
      }
      #expect(journal.failures == [], "seed \(seed)")
      proxy.faults = FaultyProxy.Faults()
      try await journal.check(straight)
      let head = try await straight.head()
      while try await follower.position < head { try await Task.sleep(for: .milliseconds(10)) }
      run.cancel()
      try await run.value
      #expect(notes.problems == [] && Set(notes.words).count == head.rawValue, "seed \(seed)")
      while copy.head() < head { try await Task.sleep(for: .milliseconds(10)) }
      replica.cancel()
      try await replica.value
      #expect(
        copy.events(.all, after: 0, through: nil, limit: .max)
          == (try await straight.events(.all, after: 0, limit: 1_000_000)))
      let counts = proxy.counts
      #expect(counts.delays > 0 && counts.halves > 0 && counts.cuts > 0, "\(counts)")
    }

    @Test(arguments: ["annals_log WHERE one", "fsync"])
    func `A log is opened though the connection is lost whenever the server is asked for it`(words: String)
      async throws
    {
      let server = try TestServer()
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options()
      let made = try await PostgresEventStore(url: server.url, options: options)
      proxy.cut(at: words, times: 5)
      let opened = try await PostgresEventStore(url: proxy.url, options: options)
      #expect(proxy.cutsLeft == 0)
      #expect(opened.source == made.source && opened.reachedDurability == made.reachedDurability)
    }
  }
#endif
