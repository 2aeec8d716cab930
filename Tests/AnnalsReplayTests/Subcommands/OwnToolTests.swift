import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

@testable import AnnalsReplay

/// A parcel of a depot.
private struct Parcel: Row {
  var id: Int
  var bay: String
}

private enum ParcelEvent: Event {
  case accepted(id: Int, bay: String)
  case moved(id: Int, bay: String)
  case lost(id: Int)
}

private struct Bays: Projection {
  func project(_ event: ParcelEvent, into rows: inout Rows<Parcel>) {
    switch event {
    case .accepted(let id, let bay): rows.insert(Parcel(id: id, bay: bay))
    case .moved(let id, let bay): rows[id]?.bay = bay
    case .lost(let id): rows[id] = nil
    }
  }
}

/// The tool of an app that has no records, as a new user of it finds it.
@Suite struct OwnToolTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ReplayTool(ReplayList(Bays()), name: "depot")
    let store = try SQLiteEventStore(path: tool.log)
    for (type, payload) in [
      ("ParcelAccepted", #"{"id":1,"bay":"a"}"#), ("ParcelAccepted", #"{"id":2,"bay":"a"}"#),
      ("ParcelMoved", #"{"id":1,"bay":"b"}"#), ("ParcelLost", #"{"id":2}"#),
    ] {
      try store.append(Append([NewEvent(type: type, payload: payload)], to: "depot"))
    }
    store.close()
  }

  @Test func `a saved list is read for a window of it too, and shows what an unsaved one does`() throws {
    let request = ListRequest<Parcel>(sort: [.descending(\.id)], section: .by(\.bay))
    func append(_ ids: ClosedRange<Int>) throws {
      let store = try SQLiteEventStore(path: tool.log)
      for id in ids {
        let payload = #"{"id":\#(id),"bay":"\#(["a", "b", "c", "d"][id % 4])"}"#
        try store.append(Append([NewEvent(type: "ParcelAccepted", payload: payload)], to: "depot"))
      }
      store.close()
    }
    try append(10...29)
    do {
      let store = try SQLiteEventStore(path: tool.log)
      let app = FetchedResultsController(store: store, projection: Bays(), request: request, cacheName: "bays")
      try app.performFetch()
      try app.saveCache()
    }
    // Some events come after what was saved, and some positions are before it.
    try append(30...33)
    let plain = ReplayTool(ReplayList(Bays(), name: "Bays", request: request), name: "depot")
    let saved = ReplayTool(ReplayList(Bays(), name: "Bays", request: request, cacheName: "bays"), name: "depot")
    let cut = ListRequest<Parcel>(sort: request.sort, section: request.section, limit: 9, offset: 2)
    let isCut = [false, true].map { cutting in
      ReplayTool(
        ReplayList(Bays(), name: "Bays", request: cut, cacheName: cutting ? "bays" : nil), name: "depot")
    }
    for words in [["12"], ["25"], []] {
      for limit in [nil, 0, 1, 7, 25, 99] as [Int?] {
        let options = words + (limit.map { ["--limit", "\($0)"] } ?? [])
        for form in [[], ["--json"]] {
          func show(_ tool: ReplayTool) -> String {
            self.tool.tool = tool
            let answer = self.tool.run(["show", self.tool.log] + options + form)
            return "\(answer)"
          }
          #expect(show(plain) == show(saved), "\(options)")
          if form == [] { #expect(show(isCut[0]) == show(isCut[1]), "\(options)") }
        }
      }
    }
    let store = try SQLiteEventStore(readingFrom: tool.log)
    var options = ListOptions()
    (options.limit, options.need) = (3, .rows)
    let source = ProjectionSource(Bays(), name: "Bays", request: request, cacheName: "bays")
    let reader = try source.open(store, options, through: 28)
    #expect(reader.list is WindowedList && reader.list.position == 28 && reader.list.rowCount == 3)
    #expect(reader.list.path(of: "29") == nil && reader.list.record(of: "24")?.id == "24")
    options.need = .changes
    #expect(!(try source.open(store, options, through: 28).list is WindowedList))
  }

  @Test func `Help lists what is of use with what the tool knows, and has a page of the rest`() {
    let help = tool.run("--help").output
    func lists(_ name: String, _ help: String) -> Bool { help.contains("\n  \(name) ") }
    for name in ["do", "demo", "compact"] {
      #expect(!lists(name, help), "\(name)")
      #expect(tool.run("help", name).status == 0)
      #expect(!tool.run("help", "completions", "bash").output.contains("    \(name)) options="), "\(name)")
    }
    for name in ["show", "import", "why", "salvage"] { #expect(lists(name, help)) }
    #expect(!help.contains("demo") && help.contains("depot info shop.annals"))
    tool.tool = .annals
    let all = tool.run("--help").output
    for name in ["do", "demo", "compact"] { #expect(lists(name, all), "\(name)") }
    tool.tool = ReplayTool(ReplayList(Bays()), ReplayCompaction { Compaction(through: $0) }, name: "depot")
    #expect(lists("compact", tool.run("--help").output))
  }

  @Test func `Without a compaction of the app, nothing is cut, and it says why`() {
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 1 && answer.output == "")
    #expect(answer.talk.hasPrefix("depot: nothing was cut: depot does not know which events"), "\(answer.talk)")
    #expect(answer.talk.contains("ReplayCompaction") && !answer.talk.contains("no list of depot"))
    #expect(tool.run("info", tool.log).output.contains("events      4 in "))
  }

  @Test func `The compaction that an app registers is what compact does, dry, up to a position and whole`() throws {
    tool.tool = ReplayTool(
      ReplayList(Bays()),
      ReplayCompaction { end in
        var compaction = Compaction(through: end)
        // Parcels that are gone need no events.
        compaction.rewrite(ParcelEvent.self) { _, events in
          let lost = Set(events.compactMap { event -> Int? in if case .lost(let id) = event.event { id } else { nil } })
          return events.filter { event in
            switch event.event {
            case .accepted(let id, _), .moved(let id, _), .lost(let id): !lost.contains(id)
            }
          }
        }
        compaction.prove(Bays())
        return compaction
      }, name: "depot")
    let shown = tool.run("show", tool.log, "--json").output
    let early = tool.run("compact", tool.log, "4", "--dry-run", "--json")
    #expect(early.output.hasPrefix(#"{"horizon":0,"cut":0,"#), "\(early.output) \(early.talk)")
    let dry = tool.run("compact", tool.log, "--dry-run")
    #expect(dry.status == 0 && dry.talk.contains("2 events would be cut and 0 replaced, 2 left"), "\(dry.talk)")
    #expect(tool.run("info", tool.log).output.contains("events      4 in "))
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 0 && answer.talk.hasPrefix("2 events cut, 0 replaced, 2 left"), "\(answer.talk)")
    #expect(tool.run("show", tool.log, "--json").output == shown)
    #expect(tool.run("log", tool.log).lines.map { $0.prefix(1) } == ["1", "3"])
    #expect(tool.run("compact", tool.log, "--yes").talk.hasPrefix("nothing to cut: each of 2 events is needed"))
    #expect(tool.run("verify", tool.log).status == 0)
  }

  @Test func `A compaction of the app that would change its list cuts nothing`() throws {
    tool.tool = ReplayTool(
      ReplayList(Bays()),
      ReplayCompaction { end in
        var compaction = Compaction(through: end)
        compaction.rewrite(ParcelEvent.self) { _, events in
          events.filter { event in if case .moved = event.event { false } else { true } }
        }
        compaction.prove(Bays())
        return compaction
      }, name: "depot")
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 1 && answer.talk.contains("Bays"), "\(answer.talk)")
    #expect(tool.run("info", tool.log).output.contains("events      4 in "))
  }

  @Test func `What salvage takes out of a compacted log shows the same list`() throws {
    tool.tool = .annals
    let log = tool.path("records.annals")
    try tool.importLines(
      (1...40).map { inserted($0, "b\($0)", #"{"n":\#($0)}"#) }
        + (41...60).map { line($0, "RecordUpdated", #"{"collection":"book","id":"b\#($0 - 40)","fields":{"n":0}}"#) },
      to: log)
    #expect(tool.run("compact", log, "50", "--yes").status == 0)
    let shown = tool.run("show", log, "--sort", "n", "--json").output
    let saved = tool.path("saved.annals")
    let answer = tool.run("salvage", log, saved)
    #expect(answer.status == 0 && answer.talk.contains("51 events"), "\(answer.talk)")
    func rows(_ text: String) -> Substring { text.drop { $0 != "[" } }
    #expect(rows(tool.run("show", saved, "--sort", "n", "--json").output) == rows(shown))
    #expect(tool.run("verify", saved).status == 0)
  }

  @Test func `Where no event is chosen, it says so, with the nearest type or stream`() {
    func says(_ status: Int32, _ words: String...) -> String {
      let answer = tool.run(["log", tool.log] + words)
      #expect(answer.status == status && answer.output == "", "\(answer)")
      return answer.talk
    }
    #expect(
      says(2, "type:ParcelLsot")
        == "depot: no event of the log has the type ParcelLsot; did you mean ParcelLost?\n")
    #expect(says(2, "stream:deppot") == "depot: no event of the log has the stream deppot; did you mean depot?\n")
    #expect(says(2, "type:Book*") == "depot: no event of the log has the type Book*\n")
    #expect(says(2, "author:bob") == "depot: no event of the log has the author bob\n")
    #expect(says(1, "now..").hasSuffix("no event is in this range\n"))
    #expect(says(1, "..3", "type:ParcelLost") == "no event from 1 to 3 is in the choice\n")
    #expect(tool.run("log", tool.log, "..3", "type:ParcelLost", "--quiet").talk == "")
  }

  @Test func `What other programs call a thing leads to its subcommand`() throws {
    #expect(tool.run("tail", tool.log).talk.contains("unknown subcommand tail; did you mean log LOG --limit -10?"))
    #expect(tool.run("who", tool.log).talk.contains("did you mean why?"))
    #expect(tool.run("UNDO", tool.log).talk.contains("did you mean help what-if?"))
    for (name, line) in [
      ("schema", "help schema SUBCOMMAND"), ("completions", "help completions SHELL"), ("man", "help man"),
    ] { #expect(tool.run(name).talk.contains("unknown subcommand \(name); did you mean \(line)?")) }
    // A subcommand that the tool does not list is not suggested.
    #expect(!tool.run("vacuum", tool.log).talk.contains("did you mean"))
    for (name, option) in OtherNames.all {
      let subcommand = try #require(ReplayTool.subcommands.first { $0.name == name }, "\(name)")
      if let option { #expect(subcommand.allOptions.contains { $0.name == option }, "\(name) \(option)") }
    }
    for subcommand in ReplayTool.subcommands {
      #expect(OtherNames.meant(by: subcommand.name, among: [subcommand.name]) == nil, "\(subcommand.name)")
    }
  }

  @Test func `A letter that is no option suggests no other letter`() {
    let talk = tool.run("info", tool.log, "-n", "3").talk
    #expect(talk.contains("unknown option -n of depot info\n"), "\(talk)")
  }

  @Test func `A damaged log leads to salvage, and each damage is said once`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    let page = try #require(bytes.range(of: Data("ParcelLost".utf8)))
    bytes.replaceSubrange(page, with: Data("ParcelLxst".utf8))
    let bad = tool.path("bad.annals")
    try bytes.write(to: URL(fileURLWithPath: bad))
    let shown = tool.run("show", bad)
    #expect(shown.status == 3 && shown.talk.contains("is damaged"), "\(shown.talk)")
    #expect(shown.talk.hasSuffix("\n`depot salvage LOG FILE` copies what is sound into a new log\n"), "\(shown.talk)")
    let verified = tool.run("verify", bad)
    #expect(verified.status == 1 && Set(verified.lines).count == verified.lines.count, "\(verified.output)")
    #expect(verified.talk.contains("or let depot salvage copy what is sound"))
    let sound = tool.path("sound.annals")
    #expect(tool.run("salvage", bad, sound).status < 2)
    #expect(tool.run("verify", sound).status == 0)
  }

  @Test func `A sound file that a list cannot fold is not to be restored`() throws {
    try SQLiteEventStore(path: tool.log).append(Append([NewEvent(type: "ParcelLost", payload: "{}")], to: "depot"))
    let answer = tool.run("verify", tool.log)
    #expect(answer.status == 1 && answer.output.hasPrefix("event 5: the list Bays can't apply this event: "))
    #expect(answer.talk.contains("the file is sound, but a list cannot fold what is in it"), "\(answer.talk)")
  }

  @Test func `The tour of the demo names the tool`() {
    let talk = tool.run("demo").output
    #expect(talk.contains("depot demo NAME") && !talk.contains("annals demo"))
  }
}
