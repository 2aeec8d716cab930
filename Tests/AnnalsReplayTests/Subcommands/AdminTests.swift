import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// `backup`, the list of `erase`, `followers` and the stored state in `info`.
@Suite struct AdminTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func fill() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"a":{"$personal":"ann","value":1},"b":{"$personal":"bob","value":2}}"#),
      inserted(2, "b2", #"{"a":{"$personal":"ann","value":1}}"#), inserted(3, "b3"),
    ])
  }

  @Test func `a backup is checked, and a file that is there is kept`() throws {
    try fill()
    let copy = tool.path("copy")
    let answer = tool.run("backup", tool.log, copy)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int)
    #expect(answer.status == 0 && answer.talk == "the log up to position 3 copied, \(size) bytes, checked\n")
    #expect(tool.run("log", "--json", copy).output == tool.run("log", "--json", tool.log).output)
    let taken = tool.run("backup", tool.log, copy)
    #expect(
      taken.status == 4 && taken.talk.contains("expected no such file, found one; choose another name, or replace"))
    tool.run("do", tool.log, "insert", "b4", "--list", "book")
    #expect(
      tool.run("backup", tool.log, copy, "--yes", "--json").output.hasPrefix(
        #"{"position":4,"bytes":\#(size),"verified":true,"sound":true,"lacksCommits":false,"problems":[]}"#))
    #expect(tool.run("show", copy).output == tool.run("show", tool.log).output)
    // Not the log itself, not what is no log, and not into a folder that is not there.
    #expect(tool.run("backup", tool.log, tool.log, "--yes").talk.contains("found the log itself"))
    let other = try tool.file(
      "letter", "Dear Ann, this is much longer than the header of a database, which has a hundred bytes.")
    #expect(tool.run("backup", tool.log, other, "--yes").status == 3)
    #expect(try String(contentsOfFile: other, encoding: .utf8).hasPrefix("Dear Ann"))
    #expect(tool.run("backup", tool.log, tool.path("none/copy")).status == 4)
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(!names.contains { $0.hasSuffix(".new") || $0.hasSuffix(".unfinished") }, "\(names)")
  }

  @Test func `a damaged log is copied, and its backup does not take the place of a good one`() throws {
    try fill()
    let copy = tool.path("copy")
    #expect(tool.run("backup", tool.log, copy).status == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    // In the page of the events, which is the last one with this text.
    let place = try #require(bytes.range(of: Data("RecordInserted".utf8), options: .backwards)?.lowerBound)
    bytes[place + 3] ^= 1
    try bytes.write(to: URL(fileURLWithPath: tool.log))
    let good = try Data(contentsOf: URL(fileURLWithPath: copy))
    let answer = tool.run("backup", tool.log, copy, "--yes")
    #expect(answer.status != 0, "\(answer)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == good)
  }

  @Test func `erase without a subject lists the subjects, with their erased values`() throws {
    #expect(tool.run("do", tool.log, "insert", "x", "--list", "book").status == 0)
    let none = tool.run("erase", tool.log)
    #expect(none.status == 1 && none.talk == "the log has no personal fields\n")
    try fill()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    #expect(tool.run("erase", tool.log).lines == ["ann  2 values  2…3", "bob  1 value  2"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: tool.log)) == bytes)
    tool.run("erase", tool.log, "ann", "--yes")
    #expect(tool.run("erase", tool.log).lines == ["ann  0 values, 2 erased  2…3", "bob  1 value  2"])
    #expect(
      tool.run("erase", tool.log, "--json").lines == [
        #"{"subject":"ann","values":0,"erased":2,"empty":0,"first":2,"last":3}"#,
        #"{"subject":"bob","values":1,"erased":0,"empty":0,"first":2,"last":2}"#,
      ])
    for option in [["--yes"], ["--dry-run"]] {
      let answer = tool.run(["erase", tool.log] + option)
      #expect(answer.status == 2 && answer.output == "", "\(answer)")
      #expect(answer.talk.contains("\(option[0]): expected a SUBJECT, found none"), "\(answer)")
    }
    #expect(tool.run("subjects", tool.log).talk.contains("unknown subcommand subjects; did you mean erase LOG?"))
  }

  @Test func `followers are listed with their lag, skipped and forgotten`() throws {
    try fill()
    #expect(tool.run("followers", tool.log).talk == "no follower keeps a checkpoint in the log\n")
    var environment = StoreEnvironment()
    environment.now = { Date(timeIntervalSince1970: 0) }
    let store = try SQLiteEventStore(path: tool.log, environment: environment)
    #expect(try store.checkpoints?.setCheckpoint(named: "mail", to: 1, from: nil) == true)
    #expect(
      tool.run("followers", tool.log, "--json").output
        == #"{"name":"mail","position":1,"lag":2,"moved":"1970-01-01T00:00:00Z","problem":null}"# + "\n")
    #expect(
      tool.run("followers", tool.log).output.hasPrefix("mail  position 1 of 3, 2 events behind, moved 1970-01-01"))
    #expect(tool.run("followers", tool.log, "mail", "2").status == 2)
    let skipped = tool.run("followers", tool.log, "mail", "2", "--yes")
    #expect(skipped.status == 0 && skipped.talk == "mail continues after position 2; 1 position skipped\n")
    #expect(try store.checkpoints?.checkpoint(named: "mail") == 2)
    for to in ["1", "2", "4"] {
      let answer = tool.run("followers", tool.log, "mail", to, "--yes")
      #expect(answer.status == 2 && answer.talk.contains("expected a position from 3 to 3, found \(to)"), "\(answer)")
    }
    #expect(tool.run("followers", tool.log, "mail", "id:none", "--yes").status == 1)
    #expect(
      tool.run("followers", tool.log, "mail", "first", "--yes").talk.contains("from 3 to 3, found 1"))
    #expect(tool.run("followers", tool.log, "mial", "3", "--yes").talk.contains("did you mean \"mail\"?"))
    #expect(
      tool.run("followers", tool.log, "mail", "last", "--yes", "--json").output
        == #"{"name":"mail","from":2,"to":3}"# + "\n")
    #expect(tool.run("followers", tool.log, "mail", "last", "--yes").talk.contains("there is nothing to skip"))
    #expect(tool.run("followers", tool.log, "mail", "0").status == 2)
    let forgotten = tool.run("followers", tool.log, "mail", "0", "--yes")
    #expect(forgotten.status == 0 && forgotten.talk == "mail forgotten, which was at position 3\n")
    #expect(tool.run("followers", tool.log, "mail", "0", "--yes").status == 1)
    #expect(tool.run("followers", tool.log, "--to", "3").status == 2)
  }

  @Test func `info names the authors, collections and fields of the last 1,000 events`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    func append(_ count: Int, by author: String, _ payload: String, type: String = "RecordInserted") throws {
      var metadata = Metadata()
      metadata.author = author
      let events = (0..<count).map { index in
        NewEvent(
          type: type, payload: payload.replacing("ID", with: "\(author)\(index)"), metadata: metadata)
      }
      try store.append(Append(events, to: "log"))
    }
    try append(1, by: "old", #"{"collection":"film","id":"ID","fields":{"year":1}}"#)
    try append(2, by: "bob", #"{"collection":"book","id":"ID","fields":{"title":"a"}}"#)
    try append(3, by: "ann", #"{"collection":"loan","id":"ID","fields":{"days":1,"title":"a"}}"#)
    #expect(
      tool.run("info", tool.log).lines.suffix(3) == [
        "authors     ann 3, bob 2, old 1", "collections loan, book, film", "fields      title, days, year",
      ])
    #expect(
      tool.run("info", tool.log, "--json").output.contains(
        #""authors":["ann","bob","old"],"collections":["loan","book","film"],"fields":["title","days","year"]"#))
    try append(995, by: "ann", #"{"collection":"loan","id":"xID","fields":{"days":1,"title":"a"}}"#)
    #expect(tool.run("info", tool.log).lines.contains("authors     ann 998, bob 2 (of the last 1,000 events)"))
    // The members of an app's own payload are fields, too.
    try append(1_000, by: "app", #"{"id":"ID","price":1}"#, type: "Repriced")
    #expect(
      tool.run("info", tool.log).lines.suffix(2) == [
        "authors     app 1,000 (of the last 1,000 events)", "fields      id, price (of the last 1,000 events)",
      ])
  }

  @Test func `info lists the erasures, compactions and drafts, at most six of a kind`() throws {
    try fill()
    let before = tool.run("info", tool.log)
    for name in ["erasure", "compaction", "draft", "states"] { #expect(!before.output.contains("\n\(name) ")) }
    tool.run("erase", tool.log, "ann", "--yes")
    let json = try JSONValue(parsing: tool.run("info", tool.log, "--json").output)
    let erasure = json["erasureHistory"]?.array?.first
    #expect(erasure?["subject"] == "ann" && erasure?["position"] == 3 && erasure?["fields"] == 2)
    #expect(json["states"] == 0 && json["drafts"] == [] && json["compactionHistory"] == [])
    let lines = tool.run("info", tool.log).lines
    #expect(lines.contains("personal    1 value of 1 subject") && lines.contains("erasures    1, of 1 subject"))
    #expect(lines.contains { $0.hasPrefix("erasure     ann  2 values up to position 3, ") })
    for number in 1...7 {
      tool.run(
        "do", tool.log, "insert", "p\(number)", "--list", "book", "n={\"$personal\":\"p\(number)\",\"value\":1}")
      #expect(tool.run("erase", tool.log, "p\(number)", "--yes").status == 0)
    }
    let many = tool.run("info", tool.log).lines.filter { $0.hasPrefix("erasure ") }
    #expect(many.count == 7 && many[0].hasPrefix("erasure     p2  1 value"), "\(many)")
    #expect(many.last == "erasure     and 2 earlier (--json prints all)")
    #expect(tool.run("do", tool.log, "update", "b3", "n=1").status == 0)
    #expect(tool.run("compact", tool.log, "--yes").status == 0)
    let compacted = tool.run("info", tool.log).lines
    #expect(compacted.contains { $0.hasPrefix("compaction  up to position ") && $0.contains(" cut, 1 replaced, ") })
    for name in ["stats", "kept"] {
      #expect(tool.run(name, tool.log).talk.contains("unknown subcommand \(name); did you mean info?"))
    }
  }

  @Test func `info lists the kept drafts`() throws {
    try fill()
    let store = try SQLiteEventStore(path: tool.log)
    let draft = try store.draft(named: "plan", deciders: .of(WareShop.self))
    try draft.execute(.insert(id: "a", price: 1, shelf: "x"), on: WareShop["main"])
    store.close()
    #expect(tool.run("info", tool.log).lines.contains { $0.hasPrefix("draft       plan  1 command, changed ") })
    let json = try JSONValue(parsing: tool.run("info", tool.log, "--json").output)
    #expect(json["drafts"]?.array?.first?["name"] == "plan" && json["drafts"]?.array?.first?["commands"] == 1)
  }
}
