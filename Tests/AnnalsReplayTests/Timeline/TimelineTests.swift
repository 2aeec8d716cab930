import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// The pages of `annals timeline`.
@Suite struct TimelineTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func page(_ options: String...) throws -> String {
    let answer = tool.run(["timeline", tool.log, "-o", "-"] + options)
    try #require(answer.status == 0, "\(answer.talk)")
    return answer.output
  }

  @Test func `the data of a page has each row once, and then what changed`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"title":"Dune","price":331,"shelf":"A"}"#, transaction: "t1"),
      inserted(2, "b2", #"{"title":"Emma","price":12.50,"shelf":"B"}"#, transaction: "t1"),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":340}}"#),
      line(4, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"shelf":"B","title":null}}"#),
      line(5, "RecordDeleted", #"{"collection":"book","id":"b2"}"#),
      line(6, "SectionRenamed", #"{"collection":"book","section":"B","title":"Best"}"#),
    ])
    let list = try PageModel(page("--section-by", "shelf", "--sort", "price")).data["lists"]?.array?.first
    let want = #"""
      {"name":"book","sectioned":true,"columns":["price","shelf","title"],"by":1,"shapes":[[0,1,2]],"start":[],
        "batches":[
        {"to":2,"s":[[1,0,"A",0],[1,1,"B",1]],
          "r":[[1,0,0,["b1",0,331,"A","Dune"],[1]],[1,1,0,["b2",0,["12.50"],"B","Emma"],[2]]],"e":[1,2]},
        {"to":3,"r":[[3,0,0,[0,340],0]],"e":[3]},
        {"to":4,"s":[[0,0]],"r":[[2,0,0,0,1,[1,"B",2,[]],0]],"e":[4]},
        {"to":5,"r":[[0,0,0,0]],"e":[5]},
        {"to":6,"s":[[3,0,0,"Best"]],"r":[],"e":[6]}]}
      """#
    #expect(list?.text == (try JSONValue(parsing: want).text))
  }

  @Test func `a page of several lists supposes the same of each, as show does`() throws {
    func inserted(_ number: Int, _ collection: String, _ id: String) -> String {
      line(number, "RecordInserted", #"{"collection":"\#(collection)","id":"\#(id)","fields":{"n":\#(number)}}"#)
    }
    try tool.importLines([
      inserted(1, "book", "b1"), inserted(2, "shelf", "s1"), inserted(3, "book", "b2"), inserted(4, "shelf", "s2"),
      line(5, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":9}}"#),
      line(6, "RecordUpdated", #"{"collection":"shelf","id":"s2","fields":{"n":8}}"#),
      line(7, "RecordDeleted", #"{"collection":"shelf","id":"s1"}"#),
    ])
    for without in [["1"], ["4", "1"], ["type:RecordUpdated"], ["2..4"]] {
      let options = without.flatMap { ["--without", $0] }
      let answer = tool.run(["timeline", tool.log, "-o", "-"] + options)
      #expect(answer.status == 0, "\(answer.talk)")
      let model = try PageModel(answer.output)
      #expect(model.data["lists"]?.array?.map { $0["name"]?.string } == ["book", "shelf"])
      for (index, collection) in ["book", "shelf"].enumerated() {
        for (position, sections) in model.lists[index] {
          let words = ["show", tool.log, "--json", "\(position)", "--list", collection] + options
          #expect(try JSONList(tool.run(words).output).titled == sections, "\(collection) at \(position) of \(without)")
        }
        #expect(!model.lists[index].isEmpty || without == ["2..4"])
      }
      #expect(answer.output.contains("<title>log.annals without \(without.joined(separator: ", "))"), "\(without)")
    }
  }

  @Test func `the batches of a page lead to the lists that show prints, whatever the options`() throws {
    let settings = CheckSettings(examples: 2, maxChoices: 100_000)
    let options = [
      ["--section-by", "kind", "--sort", "-rank"], ["--section-by", "rank", "--limit", "4", "--batch", "event"],
      ["--sort", "kind,rank", "--where", "rank > 0", "--batch", "3"], ["--section-by", "é", "--limit", "3"],
    ]
    try check(RandomHistoryTests.History.generator(transactions: 8).map { $0.lines }, settings: settings) { lines in
      let tool = try ToolRunner()
      try tool.importLines(lines)
      for options in options {
        let answer = tool.run(["timeline", tool.log, "-o", "-"] + options)
        try ensure(answer.status == 0, answer.talk)
        let batch = options.firstIndex(of: "--batch")
        let shown = batch.map { Array(options[..<$0]) } ?? options
        for (position, sections) in try PageModel(answer.output).lists[0] {
          let show = tool.run(["show", tool.log, "--json", "\(position)"] + shown)
          // Show refuses `rank > 0` at a place where no rank is a number, so no row of the page may pass there.
          if show.refusesKind {
            try ensure(sections.allSatisfy { $0.rows.isEmpty }, "at \(position) of \(options)")
          } else {
            try ensure(JSONList(show.output).titled == sections, "at \(position) of \(options)")
          }
        }
      }
    }
  }

  @Test(arguments: Scenario.names)
  func `the page of an app's log has the lists that show prints, and says what its events say`(name: String) throws {
    #expect(tool.run("demo", name, tool.log).status == 0)
    let model = try PageModel(page())
    let list = try #require(model.data["lists"]?.array?.first?["name"]?.string)
    let replayed = tool.run("diff", "--each", tool.log, "--json", "--list", list).lines.count
    #expect(model.lists.count == 1 && model.lists[0].count == replayed + 1)
    for (position, sections) in model.lists[0] {
      let show = try JSONList(tool.run("show", tool.log, "--list", list, "--json", "\(position)").output)
      #expect(show.titled == sections, "at \(position)")
    }
    #expect(model.payloads.contains { $0 != nil } == (replayed > 0))
  }

  @Test(arguments: [
    ["author:ann"], ["author:!ann"], ["type:RecordUpdated"], ["type:!RecordInserted"],
    ["command:re*"], ["correlation:reprice-b3"], ["grep:Peace"],
    ["author:bob", "type:Record*"],
  ])
  func `a step of a page is a batch that replay prints, others are in the list`(filter: [String]) throws {
    let shop = try ShopTool()
    for more in [[], ["--batch", "event"], ["--batch", "4"], ["2.."], ["--where", "price < 55"]] {
      let list = ["--section-by", "shelf", "--sort", "price"]
      let answer = shop.tool.run(["timeline", shop.tool.log, "-o", "-"] + list + more + filter)
      #expect(answer.status == 0, "\(answer.talk)")
      let model = try PageModel(answer.output)
      let replayed = shop.tool.run(["diff", "--each", shop.tool.log, "--json"] + list + more + filter).lines
      let ends = try replayed.map { try JSONValue(parsing: $0)["to"]?.int }
      #expect(model.lists[0].map(\.position).dropFirst() == ends[...], "\(filter) \(more)")
      let isPartly = more.first == "--where"
      for (position, sections) in model.lists[0] {
        let words = ["show", shop.tool.log, "--json", "\(position)"] + list + (isPartly ? more : [])
        #expect(try JSONList(shop.tool.run(words).output).titled == sections, "\(filter) \(more) at \(position)")
      }
      let chosen = Set(shop.tool.run(["log", shop.tool.log] + filter).lines.map { $0.prefix { $0 != " " } })
      #expect(model.positions.allSatisfy { chosen.contains("\($0)") }, "\(model.positions)")
      #expect(model.data["chosen"] == .bool(true) && model.data["filtered"] == .bool(isPartly))
    }
    let whole = shop.tool.run("timeline", shop.tool.log, "-o", "-").output
    #expect(try PageModel(whole).data["chosen"] == .bool(false))
  }

  @Test func `a page that begins later begins with the list there`() throws {
    try tool.importLines((1...6).map { inserted($0, "b\($0)", #"{"n":\#($0)}"#) })
    let model = try PageModel(page("3..5"))
    #expect(
      model.lists[0].map(\.position) == [3, 4, 5] && model.lists[0].map { $0.sections[0].rows.count } == [3, 4, 5])
    #expect(model.positions == [4, 5])
    #expect(model.data["count"]?.int == 2)
  }

  @Test func `each collection is a list, and --list shows one`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"n":1}"#, transaction: "t"),
      line(2, "RecordInserted", #"{"collection":"staffers","id":"p","fields":{"name":"Annabel"}}"#, transaction: "t"),
    ])
    let all = try PageModel(page())
    #expect(all.data["lists"]?.array?.map { $0["name"]?.string } == ["book", "staffers"])
    #expect(all.payloads.count == 2)
    let one = try page("--list", "book")
    #expect(try PageModel(one).positions == [1] && !one.contains("staffers") && !one.contains("Annabel"))
  }

  @Test func `a renamed section names the event that renamed it, also among others`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"shelf":"A"}"#),
      line(2, "SectionRenamed", #"{"collection":"book","section":"A","title":"Best"}"#, transaction: "t"),
      inserted(3, "b2", #"{"shelf":"A"}"#, transaction: "t"),
      line(5, "SectionRenamed", #"{"collection":"book","section":"Z","title":"Unseen"}"#, transaction: "t"),
      line(4, "SectionRenamed", #"{"collection":"other","section":"A","title":"Else"}"#, transaction: "t"),
    ])
    #expect(try PageModel(page("--section-by", "shelf", "--list", "book")).positions == [1, 2, 3])
  }

  @Test func `a log in which nothing changed makes a page that says so`() throws {
    try tool.importLines([inserted(1, "b1")])
    let model = try PageModel(page("1.."))
    #expect(model.lists[0].count == 1 && model.lists[0][0].sections[0].rows.count == 1)
    #expect(model.data["count"]?.int == 0)
    // The words are the script's, which counts the batches.
    #expect(TimelinePage.script.contains("Nothing changed in this list"))
  }

  @Test func `two pages of one log have one fingerprint, and a longer log has another`() throws {
    try tool.importLines([inserted(1, "b1"), inserted(2, "b2")])
    let first = try PageModel(page()).data["print"]
    #expect(try PageModel(page("--sort", "id")).data["print"] == first && first?.string?.count == 16)
    #expect(try PageModel(page("..1")).data["print"] != first)
  }

  @Test func `numbers that a browser would change are kept as text`() {
    for plain in ["0", "7", "-3", "12.5", "0.001", "123456789012345", "-0.5"] {
      #expect(PageJSON.isPlain(plain), "\(plain)")
    }
    for other in ["-0", "1.50", "1e3", "9007199254740993", "0.0000001", "1.0", "1234567890123456"] {
      #expect(!PageJSON.isPlain(other), "\(other)")
    }
  }
}
