import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Reports about a log: `verify`, `info` and `follow`.
@Suite struct LogTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private func fill() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"price":1}"#, transaction: "a"), inserted(2, "b2", #"{"price":2}"#, transaction: "a"),
      line(3, "Other", "\"\(String(repeating: "é", count: 1_000))\""),
    ])
  }

  @Test func `verify finds a sound log sound, and says where a damaged one is not`() throws {
    try fill()
    let sound = tool.run("verify", tool.log)
    #expect(sound.status == 0 && sound.output == "" && sound.talk == "3 events checked, all is as it must be\n")
    #expect(tool.run("verify", tool.log, "--json").output == #"{"events":3,"sound":true,"problems":[]}"# + "\n")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    let range = try #require(bytes.range(of: Data(#""price":2"#.utf8)))
    bytes[range.upperBound - 1] ^= 1
    try bytes.write(to: tool.folder.appending(path: "damaged"))
    let page = tool.run("verify", tool.path("damaged"))
    #expect(page.status == 1 && page.output.contains("doesn't match its checksum"), "\(page)")
    // A disk that wrote wrong bytes would give the page a matching checksum.
    let start = range.lowerBound / 4_096 * 4_096
    bytes.withUnsafeMutableBytes {
      PageChecksum.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + 4_096]))
    }
    try bytes.write(to: tool.folder.appending(path: "damaged"))
    let damaged = tool.run("verify", tool.path("damaged"))
    #expect(damaged.status == 1 && damaged.output.contains("event 2: "), "\(damaged)")
    #expect(damaged.output.contains("the event's checksum doesn't match") && damaged.talk.contains("1 problem found"))
    let json = tool.run("verify", tool.path("damaged"), "--json")
    #expect(
      json.status == 1 && json.output.hasPrefix(#"{"events":3,"sound":false,"problems":[{"position":2,"message":"#))
    #expect(try Data(contentsOf: tool.folder.appending(path: "damaged")) == bytes)
    #expect(tool.run("verify", tool.path("none")).status == 4)
    #expect(tool.run("verify", try tool.file("noise", "noise")).status == 3)
  }

  @Test func `verify finds record events that an app wrote and no list can hold`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    for _ in 0..<2 {
      try store.append(
        Append([NewEvent(type: "RecordInserted", payload: #"{"collection":"c","id":"a","fields":{}}"#)], to: "c"))
    }
    let answer = tool.run("verify", tool.log)
    #expect(answer.status == 1)
    #expect(answer.output == "event 2: this record event isn't valid: inserts the id \"a\", which \"c\" has\n")
  }

  @Test func `times beyond what RFC 3339 can write are shown by every subcommand, and none is imported`() throws {
    for seconds in [Double.infinity, -.infinity, .nan, 253_402_300_800, 1e13] {
      let store = try SQLiteEventStore(
        path: tool.log, environment: StoreEnvironment(now: { Date(timeIntervalSince1970: seconds) }))
      try store.append(Append([NewEvent(type: "T", payload: "1")], to: "s"))
    }
    let (least, most) = ("-290308-12-21T19:59:05.224192Z", "+294247-01-10T04:00:54.775807Z")
    let times = [most, least, least, "+010000-01-01T00:00:00Z", most]
    let lines = tool.run("log", tool.log).lines
    #expect(lines.map { $0.split(separator: " ")[1] } == times.map { $0[...] })
    let exported = tool.run("log", "--json", tool.log)
    #expect(exported.status == 0)
    for (line, time) in zip(exported.lines, times) { #expect(line.contains("\"time\":\"\(time)\"")) }
    let info = tool.run("info", tool.log)
    #expect(info.lines.contains("from        \(most)  T") && info.lines.contains("to          \(most)  T"))
    #expect(
      tool.run("info", tool.log, "--json").output.contains(#""earliestTime":"\#(least)","latestTime":"\#(most)""#))
    #expect(tool.run("verify", tool.log).status == 0)
    for time in times + ["9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01"] {
      let bad = line(1, "T", "1").replacing("2026-01-02T03:04:05Z", with: time)
      let answer = try tool.importLines([bad], to: tool.path("copy"))
      let words = "in the years 0000 to 9999 UTC, found \"\(time)\""
      #expect(answer.status == 3 && answer.talk.contains(words), "\(answer.talk)")
    }
  }

  @Test func `a leap second is listed as the next second, and exported as it came`() throws {
    let time = "2016-12-31T23:59:60Z"
    try tool.importLines([line(1, "T", "1").replacing("2026-01-02T03:04:05Z", with: time)])
    #expect(tool.run("log", tool.log).lines[0].contains("2017-01-01T00:00:00Z"))
    #expect(tool.run("log", "--json", tool.log).output.contains("\"time\":\"\(time)\""))
  }

  @Test func `info counts by type and stream`() throws {
    try fill()
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(
      Append([.init(stream: "z", event: NewEvent(type: "Z", payload: nil, tags: ["t", "u"]))], commandID: "c"))
    store.close()
    let lines = tool.run("info", tool.log).lines
    for line in [
      "events      4 in 3 transactions, 1.3 per transaction, 2 streams", "types       RecordInserted 2, Other 1, Z 1",
      "streams     s 3, z 1", "payloads    2.1 kB, 526 bytes an event",
      "names       2 sources, 2 tags, 1 command with an id", "format      8",
    ] { #expect(lines.contains(line), "\(line) \(lines)") }
    #expect(
      tool.run("info", tool.log, "--format", "table").output == """
        by      events    payload  name
        type         2  104 bytes  RecordInserted
        type         1     2.0 kB  Other
        type         1    0 bytes  Z
        stream       3     2.1 kB  s
        stream       1    0 bytes  z

        """)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(tool.run("info", tool.log, "--json").output.utf8)) as? [String: Any])
    for (name, number) in [
      ("format", 8), ("events", 4), ("transactions", 3), ("streams", 2), ("sources", 2), ("tags", 2),
      ("commands", 1), ("payloadBytes", 2_106),
    ] { #expect(object[name] as? Int == number, "\(name): \(String(describing: object[name]))") }
    #expect((object["byStream"] as? [Any])?.count == 2 && (object["types"] as? [[String: Any]])?.count == 3)
    try SQLiteEventStore(path: tool.path("empty")).close()
    #expect(tool.run("info", tool.path("empty")).lines[1] == "events      0, 0 streams")
  }

  @Test func `info names six types and six streams, and the table has the 20 largest streams`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    for number in 11...35 {
      try store.append(Append([NewEvent(type: "T\(number)", payload: nil)], to: StreamName("s\(number)")))
    }
    store.close()
    let lines = tool.run("info", tool.log).lines
    #expect(lines.contains("types       T11 1, T12 1, T13 1, T14 1, T15 1, T16 1 and 19 more"))
    #expect(lines.contains("streams     s11 1, s12 1, s13 1, s14 1, s15 1, s16 1 and 19 more"))
    let table = tool.run("info", tool.log, "--format", "tsv").lines
    #expect(
      table.filter { $0.hasPrefix("type\t") }.count == 25 && table.filter { $0.hasPrefix("stream\t") }.count == 20)
  }

  /// Runs `follow` as a process, performs some action, and returns the printed lines.
  private func follow(
    _ options: String, until count: Int?, _ body: () throws -> Void
  ) throws -> (lines: [String], talk: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ToolProcess.tool))
    process.arguments = ["diff", "--follow", tool.log] + options.split(separator: " ").map(String.init)
    let (output, talk) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    var said = ""
    func read(_ lines: Int) {
      while said.count(where: { $0 == "\n" }) < lines {
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { return }
        said += String(decoding: more, as: UTF8.self)
      }
    }
    read(1)
    try body()
    // Without a number of lines it must end on its own.
    if let count {
      read(count)
      process.terminate()
    }
    said += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (said.split(separator: "\n").map(String.init), message, process.terminationStatus)
  }

  @Test func `follow prints each batch once as others append`() throws {
    try fill()
    let answer = try follow("--json --sort price", until: 4) {
      let other = try SQLiteEventStore(path: tool.log)
      func event(_ type: String, _ id: String, _ rest: String = "") -> NewEvent {
        NewEvent(type: type, payload: #"{"collection":"book","id":"\#(id)"\#(rest)}"#)
      }
      try other.append(
        Append(
          [event("RecordInserted", "b3", #","fields":{"price":0}"#), event("RecordDeleted", "b1")], to: "book"))
      // Changes nothing in the list, and so is no batch.
      try other.append(Append([NewEvent(type: "Other", payload: nil)], to: "x"))
      try other.append(Append([event("RecordUpdated", "b2", #","fields":{"price":-1}"#)], to: "book"))
      try other.append(Append([event("RecordDeleted", "b2"), event("RecordDeleted", "b3")], to: "book"))
    }
    #expect(answer.lines.count == 4 && answer.status == 143, "\(answer)")
    #expect(answer.talk == "1 event was passed over, which is no record: 1 of Other; annals log lists them\n")
    #expect(
      answer.lines.map { $0.prefix(18) } == [
        #"{"from":0,"to":3,""#, #"{"from":3,"to":5,""#, #"{"from":5,"to":7,""#, #"{"from":7,"to":9,""#,
      ])
    let replayed = tool.run("diff", "--each", tool.log, "--json", "--sort", "price", "3..").lines
    #expect(answer.lines == replayed)
  }

  @Test(arguments: ["head -1 > seen", "true"])
  func `follow ends when the reader of its output goes, though nothing is appended`(reader: String) throws {
    try fill()
    // A process that hangs is killed, so that the test ends too.
    let answer = try ToolProcess.shell(
      """
      { "$TOOL" diff --follow log.annals --json & echo $! > id; wait $!; echo $? > status; } | \(reader) &
      for n in {1..1200}; do [ -s status ] && break; sleep 0.05; done
      kill -9 "$(cat id)" 2> /dev/null; wait; cat status
      """, in: tool.folder)
    #expect(answer.output == "141\n", "\(answer)")
  }

  @Test func `follow begins at the given position, also in a log without records`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(Append([NewEvent(type: "Other", payload: nil)], to: "x"))
    let record = NewEvent(type: "RecordInserted", payload: #"{"collection":"c","id":"a","fields":{}}"#)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ToolProcess.tool))
    process.arguments = ["diff", "--follow", tool.log, "--json", "0.."]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    try store.append(Append([record], to: "c"))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(line.hasPrefix(#"{"from":0,"to":2,"sections":[{"type":"insert","index":0,"#), "\(line)")
    process.terminate()
    process.waitUntilExit()
    #expect(tool.run("diff", "--follow", tool.log, "9..").status == 2)
    #expect(tool.run("diff", "--follow", tool.path("none")).status == 4)
  }

  @Test(arguments: [false, true])
  func `follow says that its log was removed or replaced`(isReplaced: Bool) throws {
    try fill()
    let answer = try follow("--with-list", until: nil) {
      guard isReplaced else { return try FileManager.default.removeItem(atPath: tool.log) }
      // In one step: between two steps, the follower could find no file.
      let other = try tool.file("other.annals", "another file")
      #expect(rename(other, tool.log) == 0)
    }
    #expect(answer.status == 4)
    #expect(answer.talk.contains(isReplaced ? "was replaced by another file" : "was removed"), "\(answer.talk)")
  }
}
