import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AnnalsReplay

/// The indexes of long logs: no output depends on them.
@Suite struct IndexTests {
  private typealias History = RandomHistoryTests.History

  private struct Inquiry: SourcePrintable {
    let history: History
    let hasOthers: Bool
    let questions: [[String]]

    var swiftSource: String {
      (history.lines + ["others: \(hasOthers)"] + questions.map { "\($0)" }).joined(separator: "\n  ")
    }

    static let generator = Generator<Inquiry> { draw in
      let history = try draw(History.generator(transactions: 12))
      let place = Generator<Int>.int(in: 0...history.lines.count)
      let keys = Generator<String>.element(of: [
        "←←←→", "⇧←⇧←⇧→→", "↓↓x←", "g0⏎→→", "G←←←←→", "↓b[←", "/2⏎[]", "←x→→x←",
      ])
      var questions: [[String]] = []
      for _ in 0..<4 {
        var options = try draw(RandomHistoryTests.options)
        if try draw(.bool(0.8)) { options.conditions = [] }
        let id = try draw(.element(of: RandomHistoryTests.ids))
        let row = JSONValue.quoted(id)
        let number = try draw(.int(in: 0...8))
        questions += [
          ["show", "\(try draw(place))", "-n", "\(number)"] + options.words,
          ["show", "\(try draw(place))"] + options.words, ["show", "\(try draw(place))", "--sort", "knid"],
          ["diff", "\(try draw(place))..\(try draw(place))", "--json"] + options.words,
          ["log", "\(max(1, try draw(place)))"] + options.words.filter { !$0.hasPrefix("--where") },
          ["why", id, "\(try draw(place))"] + options.words, ["why", id] + options.words,
          ["find", "count \(try draw(.element(of: ["=", ">", "<"]))) \(number)", "--each"],
          ["find", "exists(\(row)) and count > \(number)", "--each"] + options.words,
          ["find", "row(\(row)).kind = 3 or not exists(\(row))", "--each", "--json"],
          ["find", "row(\(row)).knid = 3"], ["log", "--tree", "\(try draw(place))"],
          ["scrub", "\(try draw(place))", "--keys", try draw(keys)] + options.words.filter { !$0.hasPrefix("--limit") },
        ]
      }
      return Inquiry(history: history, hasOthers: try draw(.bool(0.2)), questions: questions)
    }
  }

  /// A tool that gives every log an index, and a tool without indexes, both with the same log.
  private func tools(_ lines: [String]) throws -> (indexed: ToolRunner, plain: ToolRunner) {
    let (indexed, plain) = (try ToolRunner(), try ToolRunner())
    try ensure(try plain.importLines(lines).status == 0)
    try FileManager.default.copyItem(atPath: plain.log, toPath: indexed.log)
    indexed.indexFrom = 0
    return (indexed, plain)
  }

  /// Compares the results of both tools to a question about their logs.
  private func compare(_ tools: (indexed: ToolRunner, plain: ToolRunner), _ words: [String]) throws {
    func answer(_ tool: ToolRunner) -> ToolRunner.Answer { tool.run([words[0], tool.log] + words.dropFirst()) }
    let (found, plain) = (answer(tools.indexed), answer(tools.plain))
    // An update from 3.0 to 3 changes no row, so a list keeps the spelling of the first event that it reads. Its length
    // moves the columns after it.
    func spelled(_ answer: ToolRunner.Answer) -> String {
      answer.output.replacing(#/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/#) { number in
        Decimal(string: String(number.output.0)).map { "\($0)" } ?? String(number.output.0)
      }.replacing(#/ +/#, with: " ")
    }
    let isSame = found.status == plain.status && spelled(found) == spelled(plain) && hasSame(found, plain, tools)
    try ensure(isSame, "\(words): \(found) instead of \(plain)")
  }

  private func hasSame(
    _ found: ToolRunner.Answer, _ plain: ToolRunner.Answer, _ tools: (indexed: ToolRunner, plain: ToolRunner)
  ) -> Bool {
    // A field that no row has is noted for the rows that are read, and with an index fewer rows are read.
    func talk(_ answer: ToolRunner.Answer, _ tool: ToolRunner) -> [Substring] {
      answer.talk.replacing(tool.folder.path, with: "").split(separator: "\n")
        .filter { answer.status > 1 || !$0.hasPrefix("no row has a field ") }
    }
    return talk(found, tools.indexed) == talk(plain, tools.plain)
  }

  private func files(_ tool: ToolRunner) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(at: tool.indexes, includingPropertiesForKeys: nil)) ?? [])
      .sorted { $0.path < $1.path }
  }

  private let questions = [
    ["show", "-n", "5"], ["show", "150", "-n", "5", "--sort", "n", "--section-by", "kind"], ["log", "250"],
    ["diff", "-20.."], ["diff", "120..90", "--sort", "-n"], ["why", "r3"], ["why", "r7", "--sort", "n"],
    ["find", "count > 40"], ["find", "row(r4).n > 100", "--each"], ["log", "--tree", "e200"],
  ]

  /// Events that insert 60 rows, and then update, delete and insert them.
  private func line(_ number: Int) -> String {
    let id = "r\(number * 7 % 60)"
    if number > 60, number % 11 == 0 || (number - 60) % 11 == 0 && number > 120 {
      return inserted(number, "n\(number)", #"{"n":\#(number % 13),"kind":"secret"}"#, transaction: "t\(number / 3)")
    }
    if number <= 60 {
      return inserted(
        number, "r\(number - 1)", #"{"n":\#(number * 5 % 17),"kind":"k\#(number % 3)"}"#, transaction: "t\(number / 3)")
    }
    return AnnalsReplayTests.line(
      number, "RecordUpdated", #"{"collection":"book","id":"\#(id)","fields":{"n":\#(number * 31 % 211)}}"#,
      transaction: "t\(number / 3)")
  }

  @Test func `the output with an index equals the output without one, for random histories`() throws {
    try check(Inquiry.generator, settings: CheckSettings(examples: 4, maxChoices: 100_000)) { inquiry in
      var lines = inquiry.history.lines
      if inquiry.hasOthers {
        lines.append(
          AnnalsReplayTests.line(
            lines.count + 1, "RecordInserted", #"{"collection":"other","id":"a","fields":{}}"#))
      }
      let tools = try tools(lines)
      for question in inquiry.questions {
        try compare(tools, question)
        let isList = ["show", "diff", "log", "why"].contains(question[0]) && !question.contains("--tree")
        if inquiry.hasOthers, isList { try compare(tools, question + ["--list", "c"]) }
      }
    }
  }

  @Test func `a misspelled field of a row without fields is an error with an index too`() throws {
    let tools = try tools([inserted(1, "1", "{}"), inserted(2, "2", #"{"kind":3}"#)])
    try compare(tools, ["find", "row(1).knid = 3"])
    #expect(tools.indexed.run("find", tools.indexed.log, "row(1).knid = 3").talk.contains("did you mean kind?"))
    #expect(!files(tools.indexed).isEmpty)
  }

  @Test func `an index is only for its user, and has no value of a payload`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in questions { try compare((tool, plain), question) }
    let files = files(tool)
    #expect(files.count == 5)
    let attributes = try FileManager.default.attributesOfItem(atPath: tool.indexes.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let bytes = try Data(contentsOf: file)
      for text in ["secret", "book", "kind", "r17"] { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)") }
    }
    let size = try files.reduce(0) { try $0 + Data(contentsOf: $1).count }
    #expect(tool.run("info", tool.log).output.contains("index       \(Session.bytes(size)) in the cache folder"))
    #expect(tool.run("info", tool.log, "--json").output.contains(#""indexBytes":\#(size),"#))
    #expect(!plain.run("info", plain.log).output.contains("cache folder"))
  }

  /// A store of an app, without erasures if its events are encrypted.
  private final class AppStore: ForwardingEventStore {
    let wrapped: any EventStore
    private let erases: Bool
    init(_ wrapped: any EventStore, erases: Bool) { (self.wrapped, self.erases) = (wrapped, erases) }
    var erasing: (any ErasingStore)? { erases ? wrapped.erasing : nil }
  }

  @Test(arguments: [false, true])
  func `a log in an app's own store has an index if the store supports erasures`(erases: Bool) throws {
    let (tool, plain) = try tools((1...300).map(line))
    let file = try SQLiteEventStore(readingFrom: plain.log)
    defer { file.close() }
    for runner in [tool, plain] {
      runner.tool = ReplayTool(
        ReplayRecords(), ReplayStore { _, _ in AppStore(file, erases: erases) }, name: "annals")
    }
    for question in questions { try compare((tool, plain), question) }
    #expect(files(tool).count == (erases ? 5 : 0))
  }

  @Test func `a question that an index doesn't help makes none`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in [
      ["show"], ["show", "-n", "3", "--where", "n > 3"], ["show", "-n", "3", "--without", "7"],
      ["diff", "--each"], ["find", "n > 3"], ["find", "count > 3", "--each", "-n", "5"],
      ["log", "7", "--without", "6"],
    ] {
      try compare((tool, plain), question)
      #expect(files(tool).isEmpty, "\(question)")
    }
    tool.indexFrom = 301
    for question in questions { try compare((tool, plain), question) }
    #expect(files(tool).isEmpty)
  }

  @Test func `a damaged, shortened or empty index is not used`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in questions { try compare((tool, plain), question) }
    let whole = try files(tool).map { ($0, try Data(contentsOf: $0)) }
    for round in 0..<12 {
      for (file, bytes) in whole {
        var bytes = bytes
        switch round {
        case 0: bytes = Data()
        case 1: bytes = bytes.prefix(7)
        case 2: bytes = bytes.prefix(bytes.count / 2)
        case 3: bytes += [0]
        default: bytes[bytes.count * (round - 4) / 8] ^= 1 << UInt8(round % 8)
        }
        try bytes.write(to: file)
      }
      for question in questions { try compare((tool, plain), question) }
    }
  }

  @Test func `an index that contradicts the log, with a right hash, is not used`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    try compare((tool, plain), ["show", "-n", "5", "--sort", "n"])
    let file = try #require(files(tool).first)
    let index = try ListIndex(Data(contentsOf: file))
    for round in 0..<6 {
      var other = index
      switch round {
      case 0: other.stays.swapAt(0, 40)
      case 1: other.stays.removeLast()
      case 2: other.lives.removeFirst()
      case 3: other.hashes[5] = other.hashes[4]
      case 4: other.events.reverse()
      default: other.firstEvents = other.firstEvents.map { $0 / 2 }
      }
      try other.bytes.write(to: file)
      for place in ["100", "299", "300"] { try compare((tool, plain), ["show", place, "-n", "80", "--sort", "n"]) }
      for place in ["100", "299", "300"] { try compare((tool, plain), ["log", place, "--sort", "n"]) }
    }
  }

  @Test func `events after an index are read from the log, and many of them lead to a new index`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in questions { try compare((tool, plain), question) }
    let before = try files(tool).map { try Data(contentsOf: $0) }
    for tool in [tool, plain] { try tool.importLines((301...330).map(line)) }
    for question in questions { try compare((tool, plain), question) }
    #expect(try files(tool).map { try Data(contentsOf: $0) } == before)
    for tool in [tool, plain] { try tool.importLines((331...1_400).map(line)) }
    for question in questions { try compare((tool, plain), question) }
    let after = try files(tool).map { try Data(contentsOf: $0) }
    #expect(after.count == before.count && zip(after, before).allSatisfy { $0 != $1 })
  }

  @Test func `an index of another log at the same path is not used`() throws {
    let (tool, plain) = try tools((1...200).map(line))
    let (log, part) = (tool.log, tool.path("part.annals"))
    try FileManager.default.copyItem(atPath: log, toPath: part)
    for tool in [tool, plain] { try tool.importLines((201...300).map(line)) }
    for question in questions { try compare((tool, plain), question) }
    // A shorter copy of the same log.
    for tool in [tool, plain] {
      try FileManager.default.removeItem(atPath: tool.log)
      try FileManager.default.copyItem(atPath: part, toPath: tool.log)
    }
    for question in questions { try compare((tool, plain), question) }
    // The copy with other events.
    let others = (201...300).map { number in
      AnnalsReplayTests.line(
        number, "RecordUpdated", #"{"collection":"book","id":"r\#(number % 9)","fields":{"n":\#(number)}}"#)
    }
    for tool in [tool, plain] { try tool.importLines(others) }
    for question in questions { try compare((tool, plain), question) }
    // Another log.
    for tool in [tool, plain] {
      try FileManager.default.removeItem(atPath: tool.log)
      try tool.importLines((1...60).map(line) + others)
    }
    for question in questions.dropLast() { try compare((tool, plain), question) }
  }

  @Test func `a compaction deletes a log's indexes, and makes older ones useless`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in questions { try compare((tool, plain), question) }
    let old = try files(tool).map { ($0, try Data(contentsOf: $0)) }
    for tool in [tool, plain] { #expect(tool.run("compact", tool.log, "150", "--yes").status == 0) }
    #expect(files(tool).isEmpty)
    // The compaction of another process leaves them.
    for (file, bytes) in old { try bytes.write(to: file) }
    for question in questions { try compare((tool, plain), question) }
    // A question about a position that was compacted makes no new index.
    #expect(try old.filter { try Data(contentsOf: $0.0) != $0.1 }.count == 4)
  }

  @Test func `a log with personal values has no index, and an erasure deletes one from before`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    for question in questions { try compare((tool, plain), question) }
    #expect(!files(tool).isEmpty)
    let personal = inserted(301, "p", #"{"n":7,"kind":{"$personal":"ann","value":"Ann Smith"}}"#)
    for tool in [tool, plain] { try tool.importLines([personal]) }
    let old = try files(tool).map { try Data(contentsOf: $0) }
    for question in questions { try compare((tool, plain), question) }
    #expect(try files(tool).map { try Data(contentsOf: $0) } == old)
    #expect(tool.run("erase", tool.log, "ann", "--yes").status == 0)
    #expect(plain.run("erase", plain.log, "ann", "--yes").status == 0)
    #expect(files(tool).isEmpty)
    for question in questions { try compare((tool, plain), question) }
    #expect(files(tool).isEmpty)
  }

  @Test func `a folder that can't be written costs only time`() throws {
    let (tool, plain) = try tools((1...300).map(line))
    try Data("a file".utf8).write(to: URL(fileURLWithPath: tool.path("cache")))
    for question in questions { try compare((tool, plain), question) }
    #expect(IndexFolder(["HOME": "relative"]) == nil && IndexFolder([:]) == nil)
    #expect(IndexFolder(["HOME": "/h", "XDG_CACHE_HOME": "relative"])?.path.hasPrefix("/h/") == true)
    #expect(IndexFolder(["HOME": "/h", "XDG_CACHE_HOME": "/x"])?.path == "/x/annals")
  }

  @Test func `a killed writer leaves nothing that is read, and writers at the same time write whole files`() throws {
    let tool = try ToolRunner()
    tool.indexFrom = 0
    let folder = try #require(IndexFolder(["XDG_CACHE_HOME": tool.path("cache")]))
    @Sendable func bytes(_ number: UInt8) -> Data {
      var writer = IndexWriter()
      writer.write([UInt8](repeating: number, count: 100_000))
      return writer.sealed
    }
    let wrong = Atomic(0)
    let caches = tool.path("cache")
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let folder = IndexFolder(["XDG_CACHE_HOME": caches])
      for _ in 0..<20 {
        folder?.write(bytes(UInt8(number)), log: 1, shape: 2)
        guard let found = folder?.read(log: 1, shape: 2), (try? IndexReader(found)) != nil else {
          wrong.wrappingAdd(1, ordering: .relaxed)
          continue
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(files(tool).count == 1)
    let part = tool.indexes.appending(path: files(tool)[0].lastPathComponent + "-part")
    try bytes(9).prefix(50).write(to: part)
    #expect(folder.read(log: 1, shape: 2) != nil)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: part.path)
    for shape in 3..<30 { folder.write(bytes(1), log: 1, shape: UInt64(shape)) }
    #expect(!files(tool).contains { $0.lastPathComponent == part.lastPathComponent })
    #expect(files(tool).count == 16)
  }
}
