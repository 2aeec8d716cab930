import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsRemote

/// Changes as JSON, and their application by a client.
@Suite struct ListChangesTests {
  private func list(
    _ items: [Item], numbers: [String: Double] = [:], titles: [String: String] = [:], at position: Position
  ) -> Results<Item> {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    for (group, number) in numbers { rows.numberSection(group, of: \.group, to: number) }
    for (group, title) in titles { rows.renameSection(group, of: \.group, to: title) }
    return Results(
      ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber)), of: rows, at: position)
  }

  @Test func `the changes of random lists, encoded and decoded, turn the old list into the new list`() throws {
    let steps = Generator.array(
      of: zip(.itemBatch, .int(in: 0...ChangesTests.requests.count - 1), .int(in: 0...3)), count: 10...20)
    try check(steps, settings: CheckSettings(examples: 150)) { steps in
      var rows = Rows<Item>()
      var request = 0
      var lists = [Results(ChangesTests.requests[request], of: rows, at: 0)]
      var (page, client) = (try ListPage(all: lists[0]), PlainClient(lists[0]))
      for (step, (batch, other, age)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        if age == 0 { request = other }
        let next = Results(ChangesTests.requests[request], of: rows, at: Position(step + 1))
        let text = try json(Changes(from: lists[step], to: next))
        try page.apply(decoded(text))
        try client.apply(text)
        try ensureEqual(page, try ListPage(all: next))
        try ensure(client.shows(next), "the client shows \(client.sections)")

        // The changes of several versions together.
        let old = lists[max(0, step - age)]
        var former = try ListPage(all: old)
        try former.apply(decoded(json(Changes(from: old, to: next))))
        try ensureEqual(former, page)
        lists.append(next)
      }
    }
  }

  @Test func `the JSON contains the places and the content of changes`() throws {
    let old = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1)], at: 3)
    let new = list([Item("b", "x", 0), Item("a", "x", 1, "new"), Item("d", "z", 1)], titles: ["x": "X"], at: 5)
    #expect(
      try json(Changes(from: old, to: new)) == """
        {"after":3,"position":5,"rows":[{"from":[1,0]},\
        {"row":{"group":"z","id":"d","name":"","rank":1},"to":[1,0]},\
        {"from":[0,1],"row":{"group":"x","id":"b","name":"","rank":0},"to":[0,0]},\
        {"from":[0,0],"row":{"group":"x","id":"a","name":"new","rank":1},"to":[0,1]}],\
        "sections":[{"from":1},{"title":"z","to":1},{"from":0,"title":"X","to":0}]}
        """)
  }

  @Test func `a section that moves and gets a title is one change`() throws {
    let items = [Item("a", "x", 1), Item("b", "y", 1), Item("c", "z", 1)]
    let old = list(items, numbers: ["x": 1, "y": 2, "z": 3], at: 1)
    let new = list(items, numbers: ["x": 4, "y": 2, "z": 3], titles: ["x": "X"], at: 2)
    let text = try json(Changes(from: old, to: new))
    #expect(text == #"{"after":1,"position":2,"rows":[],"sections":[{"from":0,"title":"X","to":2}]}"#)
    var page = try ListPage(all: old)
    try page.apply(decoded(text))
    #expect(try page == ListPage(all: new))
  }

  @Test func `a later position without a change of the list is a message without changes`() throws {
    let old = list([Item("a", "x", 1)], at: 1)
    let text = try json(Changes(from: old, to: Results(old.storage, at: 9)))
    #expect(text == #"{"after":1,"position":9,"rows":[],"sections":[]}"#)
    var page = try ListPage(all: old)
    try page.apply(decoded(text))
    #expect(page.position == 9)
    #expect(try page.sections == ListPage(all: old).sections)
  }

  @Test func `changes that don't fit the list are refused, and leave it unchanged`() throws {
    let list = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1)], at: 3)
    let row = #"{"group":"x","id":"d","name":"","rank":1}"#
    let wrong = [
      ("2", "", ""), ("4", "", ""),
      ("3", #"{"from":[2,0]}"#, ""), ("3", #"{"from":[0,2]}"#, ""), ("3", #"{"from":[-1,0]}"#, ""),
      ("3", #"{"from":[0,-1]}"#, ""), ("3", #"{"from":[0]}"#, ""), ("3", #"{"from":[0,0,0]}"#, ""),
      ("3", #"{"from":[0,0]},{"from":[0,0]}"#, ""), ("3", #"{"from":[\#(Int.max),\#(Int.max)]}"#, ""),
      ("3", #"{"to":[0,0]}"#, ""), ("3", #"{"row":\#(row),"to":[0]}"#, ""), ("3", #"{"row":\#(row),"to":[2,0]}"#, ""),
      ("3", #"{"row":\#(row),"to":[0,3]}"#, ""), ("3", #"{"row":\#(row),"to":[0,-1]}"#, ""),
      ("3", #"{"row":\#(row),"to":[0,\#(Int.max)]}"#, ""),
      ("3", #"{"row":\#(row),"to":[0,0]},{"row":\#(row),"to":[0,0]}"#, ""),
      ("3", "", #"{"from":2}"#), ("3", "", #"{"from":-1}"#), ("3", "", #"{"from":0},{"from":0}"#),
      ("3", "", #"{"to":3,"title":"z"}"#), ("3", "", #"{"to":-1,"title":"z"}"#),
      ("3", "", #"{"to":0,"title":"z"},{"to":0,"title":"z"}"#), ("3", "", #"{"from":5,"to":0}"#),
    ]
    for (after, rows, sections) in wrong {
      var page = try ListPage(all: list)
      let changes = try decoded(#"{"after":\#(after),"position":9,"rows":[\#(rows)],"sections":[\#(sections)]}"#)
      let error = #expect(throws: ListFeedError.self) { try page.apply(changes) }
      #expect(error?.code == .otherList)
      #expect(try page == ListPage(all: list))
    }
    var first = try ListPage(of: list, limit: 1)
    let error = #expect(throws: ListFeedError.self) { try first.apply(decoded(json(Changes(from: list, to: list)))) }
    #expect(error?.message.hasSuffix("of a list whose next page is \(try #require(first.next))") == true)
    var last = try ListPage(of: list, from: first.next, limit: 100)
    let late = #expect(throws: ListFeedError.self) { try last.apply(decoded(json(Changes(from: list, to: list)))) }
    #expect(late?.message.hasSuffix("of a list that begins at offset 1") == true)
    #expect(throws: DecodingError.self) {
      try decoded(#"{"after":-1,"position":9,"rows":[],"sections":[]}"#)
    }
  }

  @Test func `no changes trap, whichever places they contain`() throws {
    let place = Generator<Int>.frequency((9, .int(in: -1...3)), (1, .int()))
    let optional = Generator<Int?>.frequency((2, place.map { $0 }), (1, .constant(nil)))
    let rows = Generator.array(of: zip(optional, place, optional, place, .bool), count: 0...4)
    let sections = Generator.array(of: zip(optional, optional, .bool), count: 0...3)
    let list = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1)], at: 3)
    try check(zip(rows, sections), settings: CheckSettings(examples: 2_000)) { rows, sections in
      let rows = rows.map { from, fromRow, to, toRow, hasRow in
        let parts = [
          from.map { #""from":[\#($0),\#(fromRow)]"# }, to.map { #""to":[\#($0),\#(toRow)]"# },
          hasRow ? #""row":{"group":"x","id":"d","name":"","rank":1}"# : nil,
        ]
        return "{\(parts.compactMap { $0 }.joined(separator: ","))}"
      }
      let sections = sections.map { from, to, hasTitle in
        let parts = [from.map { #""from":\#($0)"# }, to.map { #""to":\#($0)"# }, hasTitle ? #""title":"t""# : nil]
        return "{\(parts.compactMap { $0 }.joined(separator: ","))}"
      }
      let text =
        #"{"after":3,"position":4,"rows":[\#(rows.joined(separator: ","))],"#
        + #""sections":[\#(sections.joined(separator: ","))]}"#
      var page = try ListPage(all: list)
      do { try page.apply(decoded(text)) } catch is ListFeedError { try ensureEqual(page, try ListPage(all: list)) }
      try ensureEqual(page.total, page.sections.map(\.rows.count).reduce(0, +))
      try ensureEqual(page.sections.map(\.index), Array(page.sections.indices))
    }
  }
}
