import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import AnnalsReplay

/// `import` and `follow` with a URL, and URLs of which a file is expected.
@Suite struct CloneTests {
  private let tool: ToolRunner
  private let far = ServerLog()

  init() throws {
    tool = try ToolRunner()
    tool.tool = ReplayTool.annals(with: ReplayRemote(schemes: ["far"]) { [far] _ in far })
  }

  /// Runs the tool on a thread of its own: it waits for what is asynchronous, as threads of Swift's pool must not.
  private func run(_ words: String...) async -> ToolRunner.Answer {
    // The test waits for the thread, so that one of them uses the tool at a time.
    nonisolated(unsafe) let tool = tool
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: tool.run(words)) }
    }
  }

  private func insert(_ numbers: ClosedRange<Int>) throws {
    for number in numbers {
      let payload = #"{"collection":"book","id":"b\#(number)","fields":{"n":\#(number)}}"#
      try far.log.append(Append([NewEvent(type: "RecordInserted", payload: payload)], to: "book"))
    }
  }

  @Test func `a clone is a log as every other, and goes on where it was`() async throws {
    try insert(1...300)
    let first = await run("import", tool.log, "far://shop")
    #expect(first.status == 0 && first.talk == "300 events copied; the last position is 300\n", "\(first)")
    try insert(301...302)
    let second = await run("import", tool.log, "far://shop", "--json")
    #expect(second.output == "{\"position\":302,\"events\":2}\n", "\(second)")
    #expect(await run("verify", tool.log).status == 0)
    let copy = try SQLiteEventStore(readingFrom: tool.log)
    let there = far.log.events(.all, after: 0, through: nil, limit: 999)
    #expect(try copy.events(.all, after: 0, through: nil, limit: 999) == there)
    copy.close()
  }

  @Test func `A redacted export reads a server's log in pages, and not event by event`() async throws {
    try insert(1...300)
    #expect(await run("import", tool.log, "far://shop").status == 0)
    let expected = await run("log", "--json", tool.log, "--redact", "n").output
    far.readings.withLock { $0 = 0 }
    let answer = await run("log", "--json", "far://shop", "--redact", "n")
    #expect(answer.status == 0 && answer.output == expected && expected.contains(#""n":0"#), "\(answer)")
    #expect(far.readings.withLock { $0 } < 30)
    // The labels of a range's first transactions are looked up.
    for place in ["7..9", "100..103"] {
      #expect(await run("log", "--json", "far://shop", place).output == run("log", "--json", tool.log, place).output)
    }
  }

  @Test func `a log that differs from its copy is refused, and the copy is kept`() async throws {
    try insert(1...5)
    #expect(await run("import", tool.log, "far://shop").status == 0)
    far.replace()
    try insert(1...9)
    let answer = await run("import", tool.log, "far://shop")
    #expect(answer.status == 4 && answer.talk.contains("Clone the server's log into an empty store"), "\(answer)")
    #expect(try SQLiteEventStore(readingFrom: tool.log).head() == 5)
  }

  @Test func `a copy that is not past a compaction yet is not shown, and the answer says how to end that`() async throws
  {
    try insert(1...5)
    #expect(await run("import", tool.log, "far://shop").status == 0)
    let local = try SQLiteEventStore(path: tool.log)
    // As a replica that was killed on its way to a horizon leaves it: with more events than it had before.
    for (name, position) in [("annals:replica:compactions", 1), ("annals:replica:shown/1", 3)] {
      #expect(try local.checkpoints?.setCheckpoint(named: name, to: Position(position), from: nil) == true)
    }
    local.close()
    for name in ["show", "log"] {
      let answer = await run(name, tool.log)
      #expect(answer.status == 4 && answer.output == "", "\(name): \(answer)")
      #expect(answer.talk.contains("run `import \(tool.log) URL` to complete the copy"), "\(name): \(answer)")
    }
    // Nothing more than it had is nothing that never was.
    let other = try SQLiteEventStore(path: tool.log)
    #expect(try other.checkpoints?.setCheckpoint(named: "annals:replica:shown/1", to: 5, from: 3) == true)
    other.close()
    #expect(await run("show", tool.log).status == 0)
  }

  @Test func `a URL that the tool cannot open says what to do`() async throws {
    let postgres = await run("import", tool.log, "postgresql://localhost/shop")
    #expect(postgres.status == 2 && postgres.talk.contains("--traits Postgres"), "\(postgres)")
    #expect(postgres.talk.contains("it can open URLs with the schemes far"))
    let file = await run("import", tool.log, "shop.annals")
    #expect(file.status == 4 && file.talk.contains("shop.annals: the file doesn't exist"), "\(file)")
    for name in ["show", "diff"] {
      let answer = await run(name, "far://shop", name == "diff" ? "0.." : "--json")
      #expect(answer.status == 2 && answer.talk.contains("Copy the log to a file with `import LOG URL`"), "\(answer)")
    }
    #expect(await run("erase", "far://shop").talk.contains("expected a SUBJECT after a URL"))
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    #expect(await run("diff", "--follow", "far://shop").talk.contains("diff URL LOG -f"))
    #expect(await run("diff", "--follow", "a", "b").talk.contains("the file doesn't exist"))
  }

  @Test func `a remote log is exported, counted and checked as its copy is`() async throws {
    try insert(1...700)
    #expect(await run("import", tool.log, "far://shop").status == 0)
    let export = await run("log", "--json", "far://shop")
    #expect(export.status == 0 && export.output.split(separator: "\n").count == 700)
    #expect(await run("log", "--json", tool.log).output == export.output)
    #expect(await run("verify", "far://shop").talk == "700 events checked, all is as it must be\n")
    let stats = await run("info", "far://shop", "--format", "csv")
    #expect(await run("info", tool.log, "--format", "csv").output == stats.output)
    let info = await run("info", "far://me:secret@shop").output
    #expect(info.hasPrefix("log         far://me:…@shop, a log on a server, read up to position 700\n"), "\(info)")
    let copied = tool.run("info", tool.log).lines.dropFirst().filter { !$0.hasPrefix("format") }
    let found = info.split(separator: "\n").dropFirst().map(String.init)
    #expect(found == copied.map { $0.replacing(", 0 commands with an id", with: "") })
    let text = await run("info", "far://shop", "--json").output
    let far = try JSONValue(parsing: text)
    let near = try JSONValue(parsing: tool.run("info", tool.log, "--json").output)
    for name in ["format", "fileBytes", "commitBytes", "commands"] {
      #expect(text.contains("\"\(name)\":null"), "\(name)")
    }
    for name in ["events", "position", "types", "byStream", "firstTime", "latestTime", "payloadBytes", "streams"] {
      #expect(far[name] != nil && far[name] == near[name], "\(name)")
    }
  }

  @Test func `the tags of a remote log are counted as those of its copy, each once`() async throws {
    func note(_ tags: Set<EventTag>) throws {
      try far.log.append(Append([NewEvent(type: "Noted", payload: nil, tags: tags)], to: "n"))
    }
    for tags in [["a", "b"], ["b", "c"], []] as [Set<EventTag>] { try note(tags) }
    #expect(await run("import", tool.log, "far://shop").status == 0)
    for name in ["far://shop", tool.log] { #expect(await run("info", name, "--json").output.contains("\"tags\":3,")) }
  }

  @Test func `lines are imported into a remote log once, and a bad one is named`() async throws {
    try insert(1...20)
    let lines = await run("log", "--json", "far://shop").output
    far.replace()
    let file = try tool.file("lines.jsonl", lines)
    #expect(await run("import", "far://shop", file).talk.hasPrefix("20 events imported in 20 transactions, 0 skipped"))
    #expect(await run("import", "far://shop", file).talk.hasPrefix("0 events imported in 0 transactions, 20 skipped"))
    #expect(await run("log", "--json", "far://shop").output == lines)
    let twice = try tool.file("twice.jsonl", lines.replacing("\"id\":\"0", with: "\"id\":\"x0"))
    let answer = await run("import", "far://shop", twice)
    #expect(answer.status == 3 && answer.talk.contains("twice.jsonl, line 1: "), "\(answer)")
    #expect(far.log.head() == 20)
  }

  @Test func `a remote log that erases nothing says so, and a subject of it is counted before it is erased`()
    async throws
  {
    for words in [["--yes"], ["--dry-run"]] {
      let answer = await run("erase", "far://shop", "ann", words[0])
      #expect(answer.status == 1 && answer.talk.contains("erase the data in the original log"), "\(answer)")
    }
    let payloads = [#"{"a":{"$personal":"ann","value":1}}"#, #"{"$personal":"ann"}"#, #"{"n":"ann"}"#]
    _ = try far.log.commit(Append(payloads.map { NewEvent(type: "Noted", payload: $0) }, to: "n"))
    tool.inputIsTerminal = true
    let asked = await run("erase", "far://me:secret@shop/a@b", "ann")
    #expect(
      asked.status == 1
        && asked.talk.contains("1 value of ann will be erased from far://me:…@shop/a@b, and from its replicas"),
      "\(asked)")
    tool.inputIsTerminal = false
    let unasked = await run("erase", "far://me:secret@shop", "ann")
    #expect(unasked.status == 2 && unasked.talk.contains("far://me:…@shop: this cannot be taken back"), "\(unasked)")
  }

  @Test func `a log that is followed by its URL prints what comes, and keeps the copy`() async throws {
    try insert(1...3)
    let (reader, far, path) = (GoneReader(), far, tool.log)
    tool.outputIsGone = { reader.isGone.withLock { $0 } }
    let writer = Thread {
      while (try? SQLiteEventStore(readingFrom: path).head()) ?? 0 < 3 { Thread.sleep(forTimeInterval: 0.02) }
      for number in 4...5 {
        let payload = #"{"collection":"book","id":"b\#(number)","fields":{"n":\#(number)}}"#
        _ = try? far.log.append(Append([NewEvent(type: "RecordInserted", payload: payload)], to: "book"))
      }
      while (try? SQLiteEventStore(readingFrom: path).head()) ?? 0 < 5 { Thread.sleep(forTimeInterval: 0.02) }
      Thread.sleep(forTimeInterval: 0.6)
      reader.isGone.withLock { $0 = true }
    }
    writer.start()
    let answer = await run("diff", "--follow", "far://shop", tool.log)
    #expect(answer.status == 141 && answer.output.contains("b5"), "\(answer)")
    #expect(await run("show", tool.log).output.contains("b4"))
  }
}

/// What becomes of exports and imports while the server's log is no longer the same, or its answers are lost.
@Suite struct LostAnswerTests {
  private func run(_ log: any RemoteEventStore, _ words: String..., input: String = "") async throws
    -> ToolRunner.Answer
  {
    nonisolated(unsafe) let tool = try ToolRunner()
    tool.tool = ReplayTool.annals(with: ReplayRemote(schemes: ["far"]) { _ in log })
    tool.input = Data(input.utf8)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: tool.run(words)) }
    }
  }

  @Test func `an export during which the log is rewritten says that it is a part of each`() async throws {
    let answer = try await run(RewrittenLog(), "log", "--json", "far://shop")
    #expect(answer.status == 4 && answer.output == "", "\(answer)")
    #expect(answer.talk.contains("while it was read, and what was printed is a part of each; run it again"))
  }

  @Test func `an import whose commits come after they were asked for has each event once`() async throws {
    let log = LateLog()
    let notes = (1...3).map { line($0, "Noted", #"{"n":\#($0)}"#) + "\n" }.joined()
    let answer = try await run(log, "import", "far://shop", "-", input: notes)
    #expect(answer.status == 0 && answer.talk.hasPrefix("3 events imported in 3 transactions, 0 skipped"), "\(answer)")
    #expect(log.server.head() == 3 && log.calls.withLock { $0 } >= 2)
  }
}

/// A remote log that is rewritten whenever its events are read.
private final class RewrittenLog: RemoteEventStore {
  let commands = CommandMemory()
  private let server = MemoryEventStore()
  var source: String { "urn:rewritten" }
  let environment = StoreEnvironment()

  init() { _ = try? server.append(Append([NewEvent(type: "Noted", payload: "{}")], to: "s")) }

  func commit(_ append: Append) async throws -> Receipt { try server.commit(append) }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    let asksForEvents = questions.contains { if case .events = $0 { true } else { false } }
    if asksForEvents { throw EventStoreError(.rewritten, "the log was rewritten") }
    return try server.reading(of: questions)
  }
}

/// A remote log whose first answer is lost, and that commits only when the appends are sent again.
private final class LateLog: RemoteGroupingStore {
  let commands = CommandMemory()
  let server = MemoryEventStore()
  let calls = Mutex(0)
  private let late = Mutex<[Append]>([])
  var source: String { "urn:late" }
  let environment = StoreEnvironment()

  func commit(_ append: Append) async throws -> Receipt { try server.commit(append) }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse { try server.reading(of: questions) }

  func commitGroup(_ appends: [Append], isChain: Bool) async -> [Result<Receipt, any Error>] {
    guard
      calls.withLock({
        $0 += 1; return $0 > 1
      })
    else {
      late.withLock { $0 = appends }
      return appends.map { _ in .failure(EventStoreError.unknownOutcome("the connection was lost"))
      }
    }
    for append in late.withLock({ $0 }) { _ = try? server.commit(append) }
    return appends.map { append in Result { try server.commit(append) } }
  }
}

private final class GoneReader: Sendable {
  let isGone = Mutex(false)
}

/// A remote log in memory.
private final class ServerLog: RemoteEventStore {
  let commands = CommandMemory()
  private let server = Mutex(MemoryEventStore())
  var log: MemoryEventStore { server.withLock { $0 } }
  var source: String { "urn:far" }
  let environment = StoreEnvironment(sleep: { _ in try await Task.sleep(for: .milliseconds(20)) })

  /// Lets another log stand in the place of this one.
  func replace() { server.withLock { $0 = MemoryEventStore() } }

  /// The number of calls that read the log.
  let readings = Mutex(0)

  func commit(_ append: Append) async throws -> Receipt { try log.commit(append) }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    readings.withLock { $0 += 1 }
    return try log.reading(of: questions)
  }
}
