#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Synchronization
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Several processes on one log, which are killed as the server's own are.
  @Suite struct PostgresProcessTests {
    /// At how many moments something is killed; more by hand.
    private static let moments = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_MOMENTS"].flatMap(Int.init) ?? 100

    @Test func `What four processes were acknowledged is there once, whatever is killed at random moments`()
      async throws
    {
      let seed = UInt64.random(in: 0 ... .max)
      var random = SplitMix64(seed: seed)
      try await TestServer.own { server, crash in
        let options = server.options()
        let store = try await PostgresEventStore(url: server.url, options: options)
        var (writers, followers, gone): ([Child], [Child], [Child]) = ([], [], [])
        func begin(_ work: String, _ number: Int) throws -> Child {
          try Child([work, server.url, options.schema, "p\(number)", "4"])
        }
        for number in 0..<4 { writers.append(try begin("append", number)) }
        for number in 0..<2 { followers.append(try begin("follow", number)) }
        for moment in 0..<Self.moments {
          try await Task.sleep(for: .milliseconds(Int.random(in: 5...60, using: &random)))
          let place = Int.random(in: 0..<4, using: &random)
          switch Int.random(in: 0..<100, using: &random) {
          case 0..<47:
            _ = try await server.patiently(
              """
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'Annals' AND random() < 0.4
              """
            )
          case 47..<57: try await Self.killBackend(of: server)
          case 57..<60: try await crash()
          case 60..<85:
            writers[place].kill()
            gone.append(writers[place])
            writers[place] = try begin("append", 10 + moment)
          default:
            followers[place % 2].kill()
            gone.append(followers[place % 2])
            followers[place % 2] = try begin("follow", 10 + moment)
          }
        }
        let children = writers + followers
        for child in children { child.end() }
        for child in children { #expect(await child.finish() == 0, "\(child.complaints), seed \(seed)") }
        for child in gone { _ = await child.finish() }
        try await Self.check(store, (children + gone).flatMap(\.lines))
      }
    }

    /// Kills one of the server's processes that serve us; the server then ends all of them, and recovers.
    private static func killBackend(of server: TestServer) async throws {
      let text = try await server.patiently(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'Annals' ORDER BY random() LIMIT 1")
      if let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) { kill(pid, SIGKILL) }
    }

    /// Compares the log with what the processes said.
    private static func check(_ store: PostgresEventStore, _ lines: [String]) async throws {
      var (sent, acknowledged, done): (Set<String>, [String: Int], Set<String>) = ([], [:], [])
      for line in lines {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("sent", 2): sent.insert(words[1])
        case ("ack", 3): acknowledged[words[1]] = Int(words[2])
        case ("did", 2): done.insert(words[1])
        default: break  // The end of a line that a process did not write any more.
        }
      }
      let events = try await store.events(.all, after: 0, limit: 10_000_000)
      #expect(events.map(\.position.rawValue) == Array(1...max(1, events.count)))
      var places: [String: Int] = [:]
      var versions: [StreamName: Int] = [:]
      for event in events {
        let word = event.payload?.split(separator: "\"").last { $0 != "}" }.map(String.init) ?? ""
        #expect(places.updateValue(event.position.rawValue, forKey: word) == nil, "\(word) is there twice")
        #expect(sent.contains(word), "\(word) was not sent")
        versions[event.stream, default: 0] += 1
        #expect(event.version == versions[event.stream])
      }
      for (word, position) in acknowledged { #expect(places[word] == position, "\(word) was acknowledged") }
      #expect(acknowledged.count > 50 && events.count >= acknowledged.count)
      // What was written when the last follower ended is handled now; all else was handled by one of the processes.
      let follower = try RemoteFollower(
        "child", of: PostgresLineEvent.self, in: store, startingAt: .beginning, partitions: 4, lease: .seconds(3)
      ) { _, _ in }
      let state = try #require(try await follower.state)
      for event in events {
        let partition = state.partitions[event.stream.partition(of: 4)]
        guard event.position <= partition.position else { continue }
        let word = event.payload?.split(separator: "\"").last { $0 != "}" }.map(String.init) ?? ""
        #expect(done.contains(word), "\(word) was not handled")
      }
      #expect(state.position > 0)
      #expect(try await follower.catchUp().rawValue == events.count)
    }
  }
#endif
