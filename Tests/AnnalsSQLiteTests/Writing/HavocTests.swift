#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// Two processes that append, erase, compact and copy one log, and are both killed.
  ///
  ///     ANNALS_HAVOC_ROUNDS=80 swift test --filter HavocTests
  @Suite struct HavocTests {
    private static let wanted = ProcessInfo.processInfo.environment["ANNALS_HAVOC_ROUNDS"].flatMap { Int($0) }
    private static let rounds = wanted ?? 6

    private struct Acknowledged {
      let name: Substring
      let size: Int
      let position: Int
    }

    /// Lets two processes work until both have some appends, kills both, and returns the acknowledged appends.
    private func killedRound(_ path: String, _ round: Int) throws -> [Acknowledged] {
      let children = try (0..<2).map { try ChildProcess("havoc", path, "2", "\($0)") }
      var texts = ["", ""]
      func count(_ index: Int) -> Int { texts[index].split(separator: "\n").filter { $0.hasPrefix("ack ") }.count }
      // Sometimes while they open the log.
      let least = round % 8 == 7 ? 0 : Int.random(in: 1...25)
      for index in 0..<2 {
        while count(index) < least {
          let words = children[index].firstWords()
          // It ended by itself, which its status shows.
          if words.isEmpty { break }
          texts[index] += String(decoding: words, as: UTF8.self)
        }
      }
      usleep(UInt32.random(in: 0...15_000))
      for child in children.shuffled() { child.kill() }
      for (index, child) in children.enumerated() {
        let (rest, talk, _) = child.finish()
        #expect(talk == "")
        texts[index] += rest.joined(separator: "\n")
      }
      return texts.flatMap { text in
        // The last line may be incomplete.
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
          let words = line.split(separator: " ")
          guard words.count == 4, words[0] == "ack", let size = Int(words[2]), let position = Int(words[3]) else {
            return nil
          }
          return Acknowledged(name: words[1], size: size, position: position)
        }
      }
    }

    private struct Payload: Decodable {
      let append: String
      let part: Int
      let of: Int
    }

    /// Checks that every acknowledged append is in the log once, that every append is whole, and that the log is sound.
    private func check(_ acknowledged: [Acknowledged], _ path: String) throws {
      let store = try SQLiteEventStore(path: path)
      defer { store.close() }
      var parts: [String: [(Payload, StoredEvent)]] = [:]
      for event in try store.events(.types("Part"), after: 0, through: nil, limit: 10_000_000) {
        let payload = try JSONDecoder().decode(Payload.self, from: Data((event.payload ?? "").utf8))
        parts[payload.append, default: []].append((payload, event))
      }
      for (name, found) in parts {
        let events = found.map(\.1)
        #expect(found.map(\.0.part) == Array(1...found[0].0.of), "the append \(name) is in the log in part or twice")
        #expect(Set(events.map(\.transaction)).count == 1)
      }
      for append in acknowledged {
        let found = try #require(
          parts[String(append.name)], "the append \(append.name) was acknowledged, but is missing")
        #expect(found.count == append.size && found.last?.1.position.rawValue == append.position)
      }
      let report = try store.verify()
      #expect(report.isSound, "\(report.problems)")
      #expect(report.events > 0 || acknowledged.isEmpty)
    }

    @Test func `two processes are killed while they append, erase, compact and copy, and no event is lost or doubled`()
      throws
    {
      let folder = try TemporaryFolder()
      var (total, kills): (Int, Int) = (0, 0)
      var acknowledged: [Acknowledged] = []
      for round in 0..<Self.rounds {
        if round % 8 == 0 { acknowledged = [] }
        let path = folder.path("log-\(round / 8)")
        let done = try killedRound(path, round)
        (acknowledged, total, kills) = (acknowledged + done, total + done.count, kills + 2)
        try check(acknowledged, path)
        for copy in 0..<2 where FileManager.default.fileExists(atPath: "\(path)-copy-\(copy)") {
          #expect(try SQLiteEventStore(readingFrom: "\(path)-copy-\(copy)").verify().isSound)
        }
      }
      if Self.wanted != nil { print("\(total) acknowledged appends, \(kills) kills") }
      #expect(total >= Self.rounds)
    }
  }
#endif
