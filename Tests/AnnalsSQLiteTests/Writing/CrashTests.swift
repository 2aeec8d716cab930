#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// Processes that are killed while they append.
  ///
  ///     ANNALS_CRASH_ROUNDS=1000 swift test --filter CrashTests
  @Suite struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["ANNALS_CRASH_ROUNDS"].flatMap { Int($0) } ?? 50

    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
    }

    /// The appends that a child acknowledged before it was killed.
    private struct Acknowledged {
      let name: String
      let size: Int
      let position: Position
      let hasCommand: Bool
    }

    private func killedRound(_ path: String) throws -> [Acknowledged] {
      let child = try ChildProcess("append", path, "3", "1000000")
      // Sometimes while it opens or creates the log, mostly while it appends.
      var said = Data()
      if Int.random(in: 0..<8) > 0 { said = child.firstWords() }
      usleep(UInt32.random(in: 0...40_000))
      child.kill()
      let (rest, talk, _) = child.finish()
      #expect(talk == "")
      let lines = (String(decoding: said, as: UTF8.self) + rest.joined(separator: "\n")).split(separator: "\n")
      return lines.filter { $0.hasPrefix("ack ") }.compactMap { line in
        let words = line.split(separator: " ")
        // The last line may be incomplete.
        guard words.count == 5, let size = Int(words[2]), let position = Int(words[3]), let command = Int(words[4])
        else {
          return nil
        }
        return Acknowledged(
          name: String(words[1]), size: size, position: Position(position), hasCommand: command == 1)
      }
    }

    /// Checks the events after a position: all acknowledged events exist, and no append is partial.
    private func check(_ acknowledged: [Acknowledged], in store: SQLiteEventStore, after start: Position) throws {
      struct Payload: Decodable {
        let append: String
        let part: Int
        let of: Int
      }
      var parts: [String: (events: [StoredEvent], size: Int)] = [:]
      try store.forEachEvent(after: start) { event in
        let payload = try JSONDecoder().decode(Payload.self, from: Data((event.payload ?? "").utf8))
        #expect(event.type == "Part\(payload.part)" && event.id.id == "\(payload.append)-\(payload.part)")
        #expect(event.tags == [EventTag("part:\(payload.part)")])
        parts[payload.append, default: ([], payload.of)].events.append(event)
      }
      for (name, found) in parts {
        #expect(found.events.count == found.size, "of the append \(name) a part is missing")
        #expect(Set(found.events.map(\.transaction)).count == 1)
      }
      for append in acknowledged {
        let found = try #require(parts[append.name], "the append \(append.name) was acknowledged, but isn't in the log")
        #expect(found.size == append.size && found.events.last?.position == append.position)
        #expect(try store.receipt(ofCommand: append.name)?.position == (append.hasCommand ? append.position : nil))
      }
    }

    @Test func `after a crash, the log contains all acknowledged appends, and each append completely`() throws {
      var acknowledged = 0
      for round in 0..<Self.rounds {
        // Every fifth log is new, so that its creation is interrupted too.
        let path = folder.path("log-\(round / 5)")
        var start: Position = 0
        if round % 5 > 0 { start = try SQLiteEventStore(readingFrom: path).head() }
        let done = try killedRound(path)
        acknowledged += done.count
        let store = try SQLiteEventStore(path: path)
        try check(done, in: store, after: start)
        let report = try store.verify()
        #expect(report.isSound, "\(report.problems)")
        try store.append(
          Append([NewEvent(type: "Part1", payload: #"{"append":"after","part":1,"of":1}"#)], to: "after"))
        _ = try store.events(.all, after: start, through: nil, limit: 1)
      }
      #expect(acknowledged > 0)
    }
  }
#endif
