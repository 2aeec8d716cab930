import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// Texts that would control a terminal, shown on one.
@Suite struct TerminalTests {
  private static let hostile =
    (Array(0x7F...0x9F) + [0x061C, 0x200E, 0x200F, 0x2028, 0x2029] + Array(0x202A...0x202E) + Array(0x2066...0x2069)
    + [0xAD, 0x34F, 0x115F, 0x180B, 0x200B, 0x2060, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9, 0xE0001, 0xE0041, 0xE0100])
    .compactMap { Unicode.Scalar($0) }
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    // Colours control the terminal too, but are the tool's own.
    tool.environment = ["NO_COLOR": "1"]
  }

  private var commands: [[String]] {
    [
      ["show"], ["diff", "--each"], ["log"], ["log", "--json"], ["info"], ["diff", "0..2"], ["verify"],
      ["show", "--section-by", "t"], ["diff", "--each", "--section-by", "t", "--batch", "event"],
    ]
  }

  private func isQuiet(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      Self.hostile.contains(scalar) || (scalar.value < 0x20 && scalar != "\n" && scalar != "\t")
    }
  }

  @Test func `JSON on a terminal has escapes for what would steer it, and says the same`() throws {
    var text = String.UnicodeScalarView(Self.hostile)
    text += "a\\\"é😀\t\n\u{0}\u{1B}[31m".unicodeScalars
    let hostile = String(text)
    let quoted = JSONValue.quoted(hostile)
    let id = JSONValue.quoted("id\u{9B}\u{202E}")
    let fields = #"{"t":\#(quoted),\#(quoted):[\#(quoted)]}"#
    let record = #"{"collection":"c\#u{85}","id":\#(id),"fields":\#(fields)}"#
    let stranger = line(2, "T\u{9D}", "\t[\(quoted)\t, \(quoted)]")
    let subject = "\"subject\":\(JSONValue.quoted("s\u{7F}\u{2066}"))"
    try tool.importLines([
      line(1, "RecordInserted", record), stranger.replacing(#""subject":"s""#, with: subject),
    ])
    for words in commands {
      for json in words.contains("--json") ? [[]] : [[], ["--json"]] as [[String]] {
        tool.isTerminal = false
        let all = [words[0], tool.log] + words.dropFirst() + json
        let plain = tool.run(all)
        tool.isTerminal = true
        let shown = tool.run(all)
        #expect(plain.status == shown.status && shown.status < 2, "\(words) \(shown.talk)")
        #expect(isQuiet(shown.output) && isQuiet(shown.talk), "\(all) \(shown.output.debugDescription)")
        guard !json.isEmpty || words.contains("--json") else { continue }
        #expect(plain.lines.count == shown.lines.count)
        for (one, other) in zip(plain.lines, shown.lines) {
          #expect(try JSONValue(parsing: one) == JSONValue(parsing: other))
          let (left, right) = (Data(one.utf8), Data(other.utf8))
          #expect(
            try JSONSerialization.jsonObject(with: left) as? NSDictionary
              == JSONSerialization.jsonObject(with: right) as? NSDictionary)
        }
      }
    }
    // Without a terminal, a text stays as it is.
    tool.isTerminal = false
    #expect(tool.run("show", tool.log, "--json").output.unicodeScalars.contains("\u{9B}"))
  }

  @Test func `any text is shown on a terminal as JSON of the same value`() throws {
    let texts = Generator<[String]>.array(
      of: .frequency(
        (1, .element(of: Self.hostile.map { String($0) })), (1, .string(count: 0...4)),
        (1, .element(of: ["\\", "\"", "\\u009b", "\\\u{9B}"]))), count: 0...6
    ).map { $0.joined() }
    tool.isTerminal = true
    var count = 0
    try check(texts, settings: CheckSettings(examples: 40)) { text in
      count += 1
      let log = tool.path("\(count)")
      tool.run("do", log, "insert", "a", "t=\(JSONValue.quoted(text))", "--list", "c")
      let shown = tool.run("show", log, "--json").output
      try ensure(isQuiet(shown), shown.debugDescription)
      let list = try JSONValue(parsing: shown)
      try ensureEqual(list["sections"]?.array?.first?["rows"]?.array?.first?["fields"]?["t"], .string(text))
    }
  }

  @Test func `no line for people is wider than the terminal`() throws {
    tool.isTerminal = true
    let (long, year) = (String(repeating: "a long 漢字 text ", count: 12), tool.path("year.annals"))
    let message = #""message":"\#(long)","data""#
    try tool.importLines([
      inserted(1, "a", #"{"title":"\#(long)","shelf":"\#(long)"}"#).replacing(#""data""#, with: message),
      inserted(2, "b", #"{"title":"b","shelf":"\#(long)"}"#).replacing(#""data""#, with: message),
    ])
    #expect(tool.run("demo", "year", year).status == 0)
    for columns in [40, 60, 80, 120] {
      tool.size = (columns, 20)
      for words in [
        ["show", tool.log, "--section-by", "shelf"], ["diff", tool.log, "1..2", "--section-by", "shelf"],
        ["diff", tool.log, "--each"], ["log", tool.log], ["followers", year],
      ] {
        let answer = tool.run(words)
        #expect(answer.lines.count > 1 && answer.lines.allSatisfy { Text.width($0) <= columns }, "\(words): \(answer)")
      }
      // Only the payload has its whole strings.
      let event = tool.run("log", tool.log, "2", "--section-by", "shelf").lines
      let changes = event.drop { !$0.hasPrefix("  it changed in") }
      #expect(changes.count > 1 && changes.allSatisfy { Text.width($0) <= columns }, "\(event)")
    }
  }
}
