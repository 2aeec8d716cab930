#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// Several processes on one log.
  @Suite struct SeveralProcessesTests {
    @Test func `four processes with four threads each create one log, lose no event and violate no condition`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("log")
      let writers = try (0..<4).map { _ in try ChildProcess("seats", path, "4", "12") }
      let follower = try ChildProcess("follow", path, "1", "0")
      var said: [String] = []
      for writer in writers {
        let (lines, talk, status) = writer.finish()
        #expect(talk == "")
        #expect(status == 0)
        said += lines
      }
      let store = try SQLiteEventStore(path: path)
      let end = try store.append(Append([NewEvent(type: "End", payload: nil)], to: "end")).position
      let (seen, talk, status) = follower.finish()
      #expect(talk == "")
      #expect(status == 0)
      #expect(seen.filter { !$0.isEmpty } == (1...end.rawValue).map { "saw \($0)" })

      let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
      #expect(events.map(\.position.rawValue) == Array(1...end.rawValue))
      let taken = events.filter { $0.type == "Taken" }
      #expect(!taken.isEmpty && Set(taken.compactMap(\.payload)).count == taken.count)
      let counted = events.filter { $0.type == "Counted" }
      #expect(counted.map(\.payload) == (1...192).map { "\($0)" })
      #expect(counted.map(\.version) == Array(1...192))
      // The acknowledged appends, by position.
      var acknowledged: [Int: String] = [:]
      for line in said {
        let words = line.split(separator: " ")
        if words.count == 3 { acknowledged[try #require(Int(words[2]))] = "\(words[0]) \(words[1])" }
      }
      #expect(acknowledged.count == taken.count + counted.count)
      for event in taken {
        #expect(acknowledged[event.position.rawValue].map { "{\"seat\":\($0.dropFirst(6))}" } == event.payload)
      }
      for event in counted {
        #expect(acknowledged[event.position.rawValue] == "counted \(event.payload ?? "")")
      }
      #expect(try store.verify().isSound)
    }

    @Test(.timeLimit(.minutes(60))) func `what another process appends wakes those who wait`() async throws {
      let folder = try TemporaryFolder()
      let store = try SQLiteEventStore(path: folder.path("log"))
      let reader = try SQLiteEventStore(readingFrom: folder.path("log"))
      let waiting = Task {
        var seen: [Int] = []
        for try await page in reader.subscription(after: 0, batchSize: 3) {
          seen += page.events.map(\.position.rawValue)
          if seen.count >= 20 { break }
        }
        return seen
      }
      let child = try ChildProcess("append", folder.path("log"), "1", "20")
      try await store.wait(for: 20)
      #expect(try await waiting.value.starts(with: Array(1...20)))
      #expect(child.finish().status == 0)
      #expect(try store.wait(for: 1, timeout: .zero))
    }
  }
#endif
