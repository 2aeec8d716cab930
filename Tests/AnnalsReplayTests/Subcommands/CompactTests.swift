import Annals
import AnnalsSQLite
import Foundation
import Testing

/// `annals compact`, and how the other subcommands read the log afterwards.
@Suite struct CompactTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func line(_ number: Int, _ type: String, _ data: String, _ more: String = "") -> String {
    #"{"specversion":"1.0","id":"\#(number)","source":"s","type":"\#(type)","subject":"shop","data":\#(data)\#(more)}"#
  }

  private func record(_ type: String, _ id: String, _ fields: String? = nil, _ collection: String = "book") -> String {
    #"{"collection":"\#(collection)","id":"\#(id)""# + (fields.map { #","fields":\#($0)"# } ?? "") + "}"
  }

  /// Appends three books, deletes one, sets titles, and appends an event that is not a record.
  private func fill() throws {
    try tool.importLines([
      line(1, "RecordInserted", record("", "b1", #"{"title":"Annals","price":50.50,"shelf":"a"}"#)),
      line(2, "RecordInserted", record("", "b2", #"{"title":"Sagas","shelf":"a"}"#), #","tags":"new""#),
      line(3, "RecordInserted", record("", "b3", #"{"title":"Odes","shelf":3}"#)),
      line(4, "SectionRenamed", #"{"collection":"book","section":"a","title":"First"}"#),
      line(5, "RecordUpdated", record("", "b2", #"{"price":9007199254740993,"title":"Edda"}"#), #","tags":"sale""#),
      line(6, "Stranger", #"{"b":[1.50]}"#),
      line(7, "RecordUpdated", record("", "b2", #"{"price":1.50}"#)),
      line(8, "RecordDeleted", record("", "b3")),
      line(9, "SectionRenamed", #"{"collection":"book","section":"a","title":"Classics"}"#),
      line(10, "SectionRenamed", #"{"collection":"book","section":"3","title":"Three"}"#),
      line(11, "SectionRenamed", #"{"collection":"book","section":3,"title":"3"}"#),
      line(12, "RecordInserted", record("", "b3", #"{"title":"Odes again","shelf":3.0}"#)),
    ])
  }

  private func show() -> String {
    tool.run("show", tool.log, "--section-by", "shelf", "--sort", "-price,title", "--json").output
  }

  @Test func `tags of updates stay, also where the fields are what they were`() throws {
    try tool.importLines([
      line(1, "RecordInserted", record("", "b1", #"{"price":1}"#), #","tags":"new""#),
      line(2, "RecordUpdated", record("", "b1", #"{"price":1}"#), #","tags":"sale""#),
    ])
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 0 && answer.talk.hasPrefix("1 event cut, 1 replaced, 1 left;"), "\(answer.talk)")
    #expect(tool.run("log", tool.log, "--json").output.contains(#""tags":"new sale""#))
  }

  @Test func `what is left is an insertion of each record and the last title of each section`() throws {
    try fill()
    let before = show()
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 0 && answer.output == "", "\(answer.talk)")
    #expect(
      answer.talk.hasPrefix(
        "5 events cut, 1 replaced, 7 left; the history before position 12 can be shown no more\n"), "\(answer.talk)")
    #expect(show() == before)
    let events = tool.run("log", tool.log, "--json").lines
    #expect(events.count == 7)
    #expect(
      events[1].contains(#""data":{"collection":"book","id":"b2","fields":{"price":1.50,"shelf":"a","title":"Edda"}}"#))
    #expect(events[1].contains(#""tags":"new sale""#) && events[1].contains(#""position":2"#))
    #expect(
      events[0].contains(#""fields":{"title":"Annals","price":50.50,"shelf":"a"}"#) && events[0].contains(#""id":"1""#))
    #expect(events[2].contains("Stranger") && events[2].contains("[1.50]"))
    #expect(tool.run("verify", tool.log).status == 0)
    let again = tool.run("compact", tool.log, "--yes")
    #expect(again.status == 0 && again.talk.hasPrefix("nothing to cut: each of 7 events is needed\n"))
    // Later events are ordinary history.
    #expect(tool.run("do", tool.log, "update", "b1", "price=60").status == 0)
    #expect(tool.run("do", tool.log, "delete", "b3").status == 0)
    let lines = tool.run("diff", "--each", tool.log, "--json", "--section-by", "shelf").lines
    #expect(
      lines.count == 3 && lines[0].hasPrefix(#"{"from":0,"to":12,"#) && lines[1].hasPrefix(#"{"from":12,"to":13,"#))
    #expect(tool.run("diff", "--each", tool.log, "--check", "--batch", "event", "--section-by", "shelf").status == 0)
    #expect(tool.run("diff", tool.log, "0..12").status == 1)
  }

  @Test func `positions before the horizon are an error with a message, and events there are listed`() throws {
    try fill()
    let whole = tool.run("show", tool.log, "9", "--json").output
    #expect(
      tool.run("compact", tool.log, "--yes", "10").talk.contains("the history before position 9 can be"))
    #expect(tool.run("show", tool.log, "9", "--json").output == whole)
    for words in [
      ["show", "8"], ["diff", "8..9"], ["diff", "--each", "1.."], ["diff", "--each", "..3"],
      ["diff", "--follow", "5.."],
    ] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect(answer.status == 2 && answer.output == "", "\(words)")
      #expect(
        answer.talk.contains("cannot be shown: the history before position 9 was compacted; 0 can"), "\(answer.talk)")
    }
    #expect(tool.run("show", tool.log, "0").status == 0)
    #expect(tool.run("log", tool.log, "3..8").lines.count == 1)
    #expect(tool.run("info", tool.log).output.contains(" cut. Lists can be shown at 0 and from 9 on\n"))
    let info = tool.run("info", tool.log, "--json").output
    #expect(info.contains(#""compactions":1,"horizon":9,"#) && info.contains(#""remnants":false,"#))
    let answer = tool.run("compact", tool.log, "--yes", "5")
    #expect(answer.status == 1 && answer.talk.contains("history up to position 9 was already compacted"))
    #expect(
      tool.run("compact", tool.log, "--yes", "13", "--json").output.contains(#"{"horizon":9,"cut":0,"#))
  }

  @Test func `what is left as it is begins at any place: a position, an event, a transaction, a time`() throws {
    func day(_ number: Int, _ price: Int, _ more: String = "") -> String {
      line(
        number, number == 1 ? "RecordInserted" : "RecordUpdated", record("", "b1", "{\"price\":\(price)}"),
        ",\"time\":\"2026-03-0\(number)T12:00:00Z\"\(more)")
    }
    let label = #","transaction":"four""#
    try tool.importLines([
      day(1, 1), day(2, 2), day(3, 3), day(4, 4, label), day(5, 5, label), day(6, 6),
    ])
    // Noon of the day after the last event.
    (tool.now, tool.zone) = (Date(timeIntervalSince1970: 1_772_884_800), TimeZone(identifier: "UTC"))
    for (place, last) in [
      ("4", 3), ("5", 3), ("6", 5), ("7", 6), ("-2", 3), ("-3", 2), ("last", 5), ("id:3", 2), ("tx:four", 3),
      ("2026-03-03", 2), ("2026-03-03 12:00", 2), ("2026-03-03 12:01", 3), ("3 days ago", 3), ("2 days ago", 3),
      ("yesterday", 5), ("now", 6),
    ] {
      let answer = tool.run("compact", tool.log, place, "--dry-run", "--json")
      #expect(answer.output.hasPrefix("{\"horizon\":\(last),"), "\(place): \(answer.output)\(answer.talk)")
      #expect(answer.talk.hasPrefix("\(place): position ") == !["4", "5", "6", "7"].contains(place))
    }
    for (place, problem) in [
      ("0", "expected a position from 1 to 7, found 0"), ("8", "expected a position from 1 to 7, found 8"),
      ("soon", "expected a position (120)"), ("-7", "expected -6 or less far"), ("id:9", "no event with the id"),
    ] {
      let answer = tool.run("compact", tool.log, place, "--yes")
      #expect(answer.status == (place == "id:9" ? 1 : 2) && answer.talk.contains(problem), "\(answer.talk)")
    }
    #expect(tool.run("compact", tool.log, "2026-03-03", "--yes").status == 0)
    let left = tool.run("log", tool.log, "--fields", "position", "--format", "tsv").lines.dropFirst()
    #expect(left.joined() == "13456")
  }

  @Test func `an import of an export is the same, and an old export brings nothing back`() throws {
    try fill()
    let old = try tool.file("old", tool.run("log", "--json", tool.log).output)
    let before = show()
    tool.run("compact", tool.log, "--yes")
    let export = tool.run("log", "--json", tool.log).output
    let copy = tool.path("copy")
    #expect(tool.run("import", copy, try tool.file("lines", export)).status == 0)
    let second = tool.run("log", "--json", copy).output
    func withoutPositions(_ text: String) -> String { text.replacing(/"position":\d+/, with: "") }
    #expect(withoutPositions(second) == withoutPositions(export))
    #expect(
      tool.run("show", copy, "--section-by", "shelf", "--sort", "-price,title", "--json").output
        == before.replacing(#""position":12"#, with: #""position":7"#))
    let answer = tool.run("import", tool.log, old)
    #expect(answer.status == 0 && answer.talk.contains("12 skipped"), "\(answer.talk)")
    #expect(show() == before)
  }

  @Test func `transactions are never cut in two, and what says more than a record stays`() throws {
    let one = #","transaction":"one""#
    try tool.importLines([
      line(1, "RecordInserted", record("", "b1", #"{"n":1}"#)),
      line(2, "RecordUpdated", record("", "b1", #"{"n":2}"#), one),
      line(3, "RecordUpdated", record("", "b1", #"{"n":3}"#), one),
      line(4, "RecordUpdated", record("", "b1", #"{"n":4}"#), one),
      line(5, "RecordInserted", #"{"collection":"book","id":"b2","fields":{},"note":"kept"}"#),
      line(6, "RecordUpdated", record("", "b2", #"{"n":3}"#)),
      line(7, "RecordInserted", record("", "gone", #"{"n":1}"#, "other")),
      line(8, "RecordUpdated", record("", "gone", #"{"n":2}"#, "other")),
      line(9, "RecordDeleted", record("", "gone", nil, "other")),
    ])
    // In the middle of a transaction: only what ends before it may be cut, and that is nothing.
    #expect(
      tool.run("compact", tool.log, "--yes", "4").talk.contains(
        "nothing to cut: each of 9 events is needed"))
    #expect(tool.run("compact", tool.log, "--yes", "1").status == 0)
    #expect(
      tool.run("compact", tool.log, "--yes", "5", "--json").output.hasPrefix(
        #"{"horizon":4,"cut":3,"replaced":1,"events":6,"#))
    #expect(
      tool.run("compact", tool.log, "--yes", "--json").output.hasPrefix(
        #"{"horizon":9,"cut":1,"replaced":0,"events":5,"#))
    // A collection without a row still exists.
    #expect(tool.run("show", tool.log, "--list", "other").status == 0)
    #expect(tool.run("show", tool.log).talk.contains("the log has 2 collections"))
    #expect(
      tool.run("show", tool.log, "--list", "book", "--json").output.contains(#"{"id":"b2","fields":{"n":3}}"#))
    #expect(tool.run("log", tool.log, "--json").output.contains(#""note":"kept""#))
    #expect(tool.run("verify", tool.log).status == 0)
  }

  @Test func `what cannot be is refused with a status and a sentence`() throws {
    #expect(tool.run("compact", tool.path("none")).status == 4)
    #expect(!FileManager.default.fileExists(atPath: tool.path("none")))
    #expect(tool.run("compact", try tool.file("noise", "noise")).status == 3)
    try fill()
    for before in ["0", "14", "-13", "x"] {
      #expect(tool.run("compact", tool.log, "--yes", before).status == 2)
    }
    #expect(tool.run("compat", tool.log).talk.contains("did you mean compact?"))
    #expect(tool.run("compact", "--help").output.contains("usage: annals compact LOG [PLACE] [options]"))
    do {
      let store = try SQLiteEventStore(path: tool.log)
      let follower = try EventFollower("mailer", of: NeverEvent.self, in: store, startingAt: .beginning) { _, _ in }
      try follower.catchUp()
      try store.append(Append([NewEvent(type: "RecordUpdated", payload: record("", "b1", #"{"n":1}"#))], to: "shop"))
    }
    let answer = tool.run("compact", tool.log, "--yes")
    let behind = "the follower \"mailer\", version 1, has handled the events only up to position 12"
    #expect(answer.status == 1 && answer.talk.contains(behind))
    #expect(tool.run("compact", tool.log, "--yes", "13").status == 0)
    try SQLiteEventStore(path: tool.log).append(
      Append([NewEvent(type: "RecordDeleted", payload: record("", "nobody"))], to: "shop"))
    try SQLiteEventStore(path: tool.log).forgetFollower("mailer", version: 1)
    let bad = tool.run("compact", tool.log, "--yes")
    #expect(bad.status == 3 && bad.talk.contains("event 14 of the log isn't a valid record event"), "\(bad.talk)")
  }
}

private enum NeverEvent: Event {
  case happened(id: Int)
}
