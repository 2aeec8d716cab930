#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// Reads a log in another language, with only the page that describes the format.
  @Suite struct OtherLanguageTests {
    private static func python(_ arguments: [String]) -> (status: Int32, output: Data, talk: String)? {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3"] + arguments
      let (output, talk) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, talk)
      guard (try? process.run()) != nil else { return nil }
      let data = output.fileHandleForReading.readDataToEndOfFile()
      let message = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, data, message)
    }

    private static let script = fixtures.appending(path: "read_log.py").path

    private static let hasPython =
      python(["-c", "import sqlite3, json; assert sqlite3.sqlite_version_info >= (3, 37)"])?.status == 0

    @Test(.enabled(if: hasPython, "Python with SQLite 3.37 or later is not installed"))
    func `Python reads a log, open or closed, by what the format's page says`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("log")
      let store = try SQLiteEventStore(path: path)
      var metadata: Metadata = ["actor": "Zoë"]
      metadata.set("weight", json: "1.50")
      let personal =
        #"[{"$personal":"ann","value":"Ann"},{"a":{"value":[1.5],"$personal":"\u00e9"}},{"$personal":"bob","value":0}]"#
      try store.append(
        Append(
          [
            .init(
              stream: "Stra\u{DF}e",
              event: NewEvent(
                type: "A\u{E9}", schema: 3, payload: "{ \"b\": 1.5,\n\"a\":\"\u{1F600}\" }",
                tags: ["z", "e\u{301}", "\u{E9}"],
                metadata: metadata, id: EventID(source: "s", id: "1"), time: Date(timeIntervalSince1970: -1.5))),
            .init(
              stream: "b",
              event: NewEvent(
                type: "B", payload: nil, id: EventID(source: "t", id: "1"), time: Date(timeIntervalSince1970: 1e9))),
          ], commandID: "command 1"))
      try store.append(
        Append(
          [
            NewEvent(
              type: "B", payload: personal, id: EventID(source: "t", id: "2"), time: Date(timeIntervalSince1970: 2))
          ],
          to: "b"))
      try store.erase(subject: "ann")
      let script = Self.script
      for isOpen in [true, false] {
        if !isOpen { store.close() }
        let answer = try #require(Self.python([script, path]))
        #expect(answer.status == 0 && answer.talk == "", "\(answer.talk)")
        let lines = try answer.output.split(separator: 0x0A).map {
          try #require(try JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary)
        }
        try #require(lines.count == 5)
        #expect(
          lines[0] == [
            "position": 1, "transaction": 1, "stream": "Stra\u{DF}e", "version": 1, "type": "A\u{E9}", "schema": 3,
            "source": "s", "id": "1", "time": -1_500_000, "tags": ["e\u{301}", "z", "\u{E9}"],
            "payload": ["b": 1.5, "a": "\u{1F600}"] as NSDictionary,
            "metadata": ["actor": "Zoë", "weight": 1.5] as NSDictionary,
          ] as NSDictionary)
        #expect(
          lines[1] == [
            "position": 2, "transaction": 1, "stream": "b", "version": 1, "type": "B", "schema": 1, "source": "t",
            "id": "1", "time": 1_000_000_000_000_000, "tags": [] as NSArray, "payload": NSNull(),
            "metadata": [:] as NSDictionary,
          ] as NSDictionary)
        #expect(lines[2]["transaction"] as? Int == 2 && lines[2]["version"] as? Int == 2)
        #expect(
          lines[2]["payload"] as? NSArray == [
            ["$personal": "ann"], ["a": ["$personal": "é", "value": [1.5]] as NSDictionary],
            ["$personal": "bob", "value": 0] as NSDictionary,
          ] as NSArray)
        #expect(
          lines[3] == [
            "command": "command 1", "position": 2, "count": 2, "versions": ["Stra\u{DF}e": 1, "b": 1] as NSDictionary,
          ] as NSDictionary)
        #expect(lines[4] == ["source": store.source] as NSDictionary)
      }
    }

    @Test(.enabled(if: hasPython, "Python with SQLite 3.37 or later is not installed"))
    func `Python reads a log that was compacted, and finds what is missing`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("log")
      let store = try SQLiteEventStore(path: path, durability: .process)
      let commands: [[(PartCommand, String)]] = [
        [(.put(id: 1), "1"), (.count(id: 1, 2), "1"), (.count(id: 1, 3), "1")],
        [(.put(id: 2), "2"), (.remove(id: 2), "2")],
      ]
      for command in commands.joined() { try store.execute(command.0, on: PartShelf[command.1]) }
      try store.compact(Parts.compaction())
      for command in commands.joined() { try store.execute(command.0, on: PartShelf[command.1]) }
      let answer = try #require(Self.python([Self.script, path]))
      #expect(answer.status == 0 && answer.talk == "", "\(answer.talk)")
      let positions = try answer.output.split(separator: 0x0A).compactMap { line in
        (try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary)?["position"] as? Int
      }
      #expect(positions == [1, 6, 7, 8, 9, 10])
      try TestDatabase(path).execute("DELETE FROM gap")
      #expect(Self.python([Self.script, path])?.talk.contains("a hole") == true)
    }
  }
#endif
