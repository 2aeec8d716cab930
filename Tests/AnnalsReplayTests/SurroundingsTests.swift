import Annals
import AnnalsSQLite
import Foundation
import Testing

/// True if a small file system can be mounted, which needs Linux and the superuser.
private let canMount = ToolProcess.succeeds("mkdir m && mount -t tmpfs -o size=64k tmpfs m && umount m")
/// The command that runs another as an ordinary user; empty if the tests already run as one, nil if they cannot become
/// one.
private let asAnother: String? = {
  if !ToolProcess.succeeds("[ \"$(id -u)\" = 0 ]") { return "" }
  let other = "setpriv --reuid=65534 --regid=65534 --clear-groups"
  return ToolProcess.succeeds("cp \"$TOOL\" t && chmod 755 . t && \(other) ./t --version") ? other : nil
}()

/// The shell's commands that bound the memory of the next process: 70 MB of data.
///
/// The largest test needs between 40 and 50 MB. The limit counts written data, not address space, because every thread
/// reserves 64 MB of addresses for its allocations and a busy machine starts more threads. For the same reason all
/// threads share one arena of the allocator and have small stacks.
private let bounded = "ulimit -s 512 && ulimit -d 70000 && export MALLOC_ARENA_MAX=1"
/// True if a shell can limit it and the tool starts within the limit, which it does not with a sanitizer.
private let canBeBounded = ToolProcess.succeeds("\(bounded) && \"$TOOL\" --version")

/// The executable in difficult surroundings: no room, no permission, closed channels, enormous lines.
@Suite struct SurroundingsTests {
  private let runner: ToolRunner

  init() throws {
    runner = try ToolRunner()
  }

  private func shell(_ script: String) throws -> (status: Int32, output: String, talk: String) {
    try ToolProcess.shell(script, in: runner.folder)
  }

  @Test(.enabled(if: canMount, "no file system can be mounted here, so that no disk can be filled"))
  func `a full disk stops an import between transactions, and the import goes on when there is room`() throws {
    let lines = (0..<10_000).map { line($0, "T", "{\"number\":\($0)}", transaction: "t\($0 / 10)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    try #require(try shell("mkdir small && mount -t tmpfs -o size=1m tmpfs small").status == 0)
    defer { _ = try? shell("umount small") }
    let full = try shell("head -c 600k /dev/zero > small/filler; \"$TOOL\" import small/log in.jsonl")
    #expect(
      full.status == 4 && full.talk.contains("small/log: the disk is full, and no data was added"), "\(full.talk)")
    let events = try shell("\"$TOOL\" log small/log --json").output.split(separator: "\n").count
    #expect(events > 0 && events < 10_000 && events % 10 == 0)
    #expect(try shell("rm small/filler; head -c 10m /dev/zero > small/filler").status != 0)
    let fuller = try shell("\"$TOOL\" do small/log insert b1 --list book --yes")
    #expect(fuller.status == 4 && fuller.talk.contains("the disk is full"), "\(fuller.talk)")
    #expect(try shell("\"$TOOL\" log small/log --json").output.split(separator: "\n").count == events)
    #expect(try shell("rm small/filler; mount -o remount,size=20m small").status == 0)
    let more = try shell("\"$TOOL\" import small/log in.jsonl --json")
    #expect(
      more.output
        == "{\"events\":\(10_000 - events),\"transactions\":\((10_000 - events) / 10),\"skipped\":\(events),"
        + "\"position\":10000}\n")
  }

  @Test(.enabled(if: asAnother != nil, "the superuser may write everything, and the tool cannot be run as another"))
  func `a log that may not be written is named by a command that writes, and shown by one that reads`() throws {
    let other = try #require(asAnother)
    try runner.importLines([inserted(1, "b1")])
    let before = try Data(contentsOf: URL(fileURLWithPath: runner.log))
    let script = "cp \"$TOOL\" t; chmod 755 t log.annals; chmod 444 log.annals; chmod"
    for (mode, message) in [("777", "log.annals: cannot be written"), ("555", "log.annals: cannot be written")] {
      #expect(try shell("\(script) \(mode) .").status == 0)
      for command in [
        "do log.annals insert b2", "do log.annals update b1 a=1", "do log.annals delete b1",
        "do log.annals rename-section a b",
        "import log.annals /dev/null", "import log.annals in.jsonl",
      ] {
        let answer = try shell("\(other) ./t \(command)")
        #expect(answer.status == 4 && answer.talk.contains(message), "\(mode) \(command): \(answer)")
      }
      let shown = try shell("\(other) ./t show log.annals --json")
      #expect(shown.status == 0 && shown.output.hasPrefix("{\"position\":1,"), "\(shown)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: runner.log)) == before)
    }
    #expect(try shell("chmod 000 log.annals").status == 0)
    let closed = try shell("\(other) ./t show log.annals")
    #expect(closed.status == 4 && closed.talk.contains("cannot be read: this user isn't permitted"), "\(closed)")
    #expect(try shell("chmod 644 log.annals; chmod 555 .").status == 0)
    let created = try shell("\(other) ./t do new.annals insert b1 --list book")
    #expect(created.status == 4 && created.talk.contains("new.annals: cannot be opened"), "\(created)")
    _ = try shell("chmod 755 .")
  }

  @Test func `a closed output is an output error, and a closed input matters only to a command that reads it`() throws {
    try runner.importLines([inserted(1, "b1")])
    #expect(try shell("\"$TOOL\" show log.annals <&-").output.hasPrefix("position 1: 1 row"))
    let closed = try shell("\"$TOOL\" show log.annals >&-")
    #expect(closed.status == 4 && closed.talk.contains("the standard output is closed"), "\(closed)")
    // The log must not get the number of the closed output, because the tool's messages would then overwrite it.
    let before = try Data(contentsOf: URL(fileURLWithPath: runner.log))
    #expect(try shell("\"$TOOL\" log --json log.annals >&- 2>&-").status == 4)
    #expect(try Data(contentsOf: URL(fileURLWithPath: runner.log)) == before)
    // The event is in the log, but it can't be printed.
    #expect(try shell("\"$TOOL\" do log.annals insert b2 <&- >&- 2>&-").status == 4)
    #expect(try shell("\"$TOOL\" show log.annals").output.hasPrefix("position 2: 2 rows"))
  }

  @Test(
    .enabled(if: canBeBounded, "a process's memory cannot be bounded here"),
    arguments: [
      (#"{"transaction":""#, "x", "", "expected the string's closing quote"),
      (#"{"a":1"#, #","a":{}"#, "}", "the member \"a\" appears twice"),
      (
        #"{"id":"1","source":"s","type":"T","specversion":""#, "x", "\"}", "expected \"1.0\", found \"xxx"
      ),
      (
        #"{"specversion":"1.0","id":"1","source":"s","type":"T","subject":"s","x":[0"#, ",1", #"],"time":5}"#,
        "time: expected a string, found 5"
      ),
    ])
  func `a bad line takes no more memory than a few times its length`(
    start: String, part: String, end: String, words: String
  ) throws {
    let text = start + String(repeating: part, count: 2_000_000 / part.utf8.count) + end + "\n"
    _ = try runner.file("in.jsonl", text)
    let answer = try shell("\(bounded) && \"$TOOL\" import log.annals in.jsonl")
    #expect(answer.status == 3 && answer.talk.contains("line 1: "), "\(answer.talk.prefix(300))")
    #expect(answer.talk.contains(words) && answer.talk.utf8.count < 1_000, "\(answer.talk.prefix(300))")
  }

  @Test(.enabled(if: canBeBounded, "a process's memory cannot be bounded here"))
  func `a compaction does not hold what the events say that it cuts`() throws {
    let store = try SQLiteEventStore(path: runner.log, durability: .process)
    func event(_ type: String, _ text: String) -> NewEvent {
      NewEvent(type: type, payload: #"{"collection":"c","id":"a","fields":{"t":"\#(text)"}}"#)
    }
    try store.append(Append([event("RecordInserted", "")], to: "c"))
    for number in 1...5 {
      let text = String(repeating: "\(number)", count: 32_000)
      try store.append(Append(Array(repeating: event("RecordUpdated", text), count: 500), to: "c"))
    }
    store.close()
    let answer = try shell("\(bounded) && \"$TOOL\" compact log.annals --yes --json")
    #expect(answer.status == 0, "\(answer.talk.prefix(300))")
    #expect(answer.output.hasPrefix(#"{"horizon":2501,"cut":2500,"replaced":1,"events":1,"#))
  }

  @Test func `a line of 50 MB is imported, listed and exported`() throws {
    let text = String(repeating: "x", count: 50_000_000)
    let wide = inserted(1, "a", #"{"t":"\#(text)"}"#) + "\n"
    let imported = runner.run("import", runner.log, try runner.file("in.jsonl", wide))
    #expect(imported.status == 0 && imported.talk.hasPrefix("1 event imported"))
    #expect(runner.run("show", runner.log, "--json").output.utf8.count > text.utf8.count)
    #expect(runner.run("log", "--json", runner.log).output.utf8.count > text.utf8.count)
    let broken = runner.run("import", runner.log, try runner.file("in.jsonl", wide.dropLast(3) + "\n"))
    #expect(broken.status == 3 && broken.talk.contains("line 1: expected"), "\(broken.talk.prefix(200))")
  }
}
