import Testing

/// `annals find`, on a log whose answers are known.
@Suite struct FindTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `find takes each form of a condition`() {
    pinned("find", "LOG", "count > 2").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "count(price > 30) >= 2").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "row(b3).price > 50").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "row(b3).price < 50").is(
      0,
      #"""
      4  holds  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        ~ b3  War and Peace  price: 40 (was 60)
      """#)
    pinned("find", "LOG", "exists(b3)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "exists(a.b)").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "section(even).count = 2", "--section-by", "shelf").is(
      0,
      #"""
      6  holds  2026-03-01T10:06:00Z  RecordUpdated  Noted
        even  >1
          > b1  Annals  shelf: even (was odd)  from odd  (5)
      """#)
    pinned("find", "LOG", "section(odd).count = 1", "--section-by", "shelf").is(
      0,
      #"""
      2  holds  2026-03-01T10:02:00Z  RecordInserted ×2  ann  by open-shop
        even  +1
          + b2  title: Büche, price: 20, shelf: even  (2)
        odd  +1
          + b1  title: Annals, price: 50, shelf: odd  (1)
      """#)
    pinned("find", "LOG", "index(b3) = [0, 2]").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(b3)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(b3.price)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(b3.at)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(b3.at.city)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(a.b)").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "changed(a.b.x)").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "not exists(b1)").is(0, #"0  holds"#)
    pinned("find", "LOG", "exists(b2) and exists(b3)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "exists(b2) or exists(b9)").is(
      0,
      #"""
      2  holds  2026-03-01T10:02:00Z  RecordInserted ×2  ann  by open-shop
        + b2  title: Büche, price: 20, shelf: even  (2)
      """#)
    pinned("find", "LOG", "not (exists(b2) or exists(b3))").is(0, #"0  holds"#)
    pinned("find", "LOG", "count = 0").is(0, #"0  holds"#)
    pinned("find", "LOG", #"exists("b3")"#).is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "not exists(b3)").is(0, #"0  holds"#)
    pinned("find", "LOG", #"count(title = "War and Peace") > 0"#).is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "count(title = 'War and Peace') > 0").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "exists (b3)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "count(shelf in (odd, even)) = 3").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "not not exists(b3)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "NOT exists(b3)").is(0, #"0  holds"#)
    pinned("find", "LOG", "exists(b3) AND exists(b1)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "row(a.b).x.y = 3").is(
      0,
      #"""
      9  holds  2026-03-01T10:09:00Z  RecordUpdated  bob
        ~ a.b  x: {"y":3} (was 1), x.y: (none) (was 2)
      """#)
    pinned("find", "LOG", "section(null).count = 1", "--section-by", "shelf").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        (none)  +1
          + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "index(b3) = [0, 2] or exists(a.b)").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(b2)").is(
      0,
      #"""
      2  holds  2026-03-01T10:02:00Z  RecordInserted ×2  ann  by open-shop
        + b2  title: Büche, price: 20, shelf: even  (2)
      """#)
    pinned("find", "LOG", "row(b2).price exists").is(
      0,
      #"""
      2  holds  2026-03-01T10:02:00Z  RecordInserted ×2  ann  by open-shop
        + b2  title: Büche, price: 20, shelf: even  (2)
      """#)
    pinned("find", "LOG", #"count(title = "War and Peace" and price > 30) > 0"#).is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "changed(a.b.x.y)").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "not(exists(b3))").is(0, #"0  holds"#)
    pinned("find", "LOG", #"row("b3").price > 50"#).is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "not title exists").is(0, #"0  holds"#)
  }

  @Test func `an id that begins with a dot is no field of the row without an id`() throws {
    let tool = try ToolRunner()
    try tool.importLines([
      inserted(1, "", #"{"n":1}"#), line(2, "RecordUpdated", #"{"collection":"book","id":"","fields":{"n":2}}"#),
      inserted(3, ".n"),
    ])
    #expect(tool.run("find", tool.log, "changed(.n)").output.hasPrefix("3  holds"))
    #expect(tool.run("find", tool.log, #"changed("".n)"#).output.hasPrefix("1  holds"))
  }

  @Test func `find that never holds is a negative answer`() {
    pinned("find", "LOG", "index(b3)=[0,0]").is(1, "", says: #"it holds at no position from 0 to 9"#)
    pinned("find", "LOG", "title = 'War and Piece'").is(1, "", says: #"it holds at no position from 0 to 9"#)
    pinned("find", "LOG", "row(b3).title = 'War and Piece' and exists(b1)").is(
      1, "", says: #"it holds at no position from 0 to 9"#)
    pinned("find", "LOG", "countess = 1").is(2, "", says: "annals: no row ever had a field countess")
    pinned("find", "LOG", "exists(b3)", "..2").is(1, "", says: #"it holds at no position from 0 to 2"#)
    pinned("find", "LOG", #""count" = 5"#).is(2, "", says: "annals: no row ever had a field count")
    pinned("find", "LOG", #"exists("b\")3")"#).is(
      2, "", says: #"annals: the list never had a row with the id b")3"#)
  }

  @Test func `find finds the first position or each one, also in a range`() {
    pinned("find", "LOG", "exists(b2)", "--each").is(
      0,
      #"""
      2  holds  2026-03-01T10:02:00Z  RecordInserted ×2  ann  by open-shop
        + b2  title: Büche, price: 20, shelf: even  (2)
      7  ends  2026-03-01T10:07:00Z  RecordDeleted  eve
        - b2  Büche
      """#)
    pinned("find", "LOG", "exists(a.b)").is(
      0,
      #"""
      8  holds  2026-03-01T10:08:00Z  RecordInserted
        + a.b  x: 1, x.y: 2
      """#)
    pinned("find", "LOG", "count > 0", "4..").is(
      0,
      #"""
      4  already holds  2026-03-01T10:04:00Z  RecordInserted ×3  RecordUpdated  ann  bob
        + b1  title: Annals, price: 50, shelf: odd  (1)
        + b2  title: Büche, price: 20, shelf: even  (2)
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 40, shelf: odd, tags: ["a","b"]  (3, 4)
      """#)
    pinned("find", "LOG", "changed(b3)", "--each").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      6  ends  2026-03-01T10:06:00Z  RecordUpdated  Noted
      """#)
    pinned("find", "LOG", "exists(b3)", "2..4").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#)
    pinned("find", "LOG", "exists(b3)", "first..id:e5").is(
      0,
      #"""
      3  holds  2026-03-01T10:03:00Z  RecordInserted  bob  of c-1
        + b3  title: War and Peace, at: {"city":"Bern"}, price: 60, shelf: odd, tags: ["a","b"]
      """#, says: #"id:e5: position 5, 2026-03-01T10:05:00Z"#)
  }

  @Test func `half a condition is a mistake, which is named`() {
    for (condition, message) in [
      ("count >", #"character 8: expected a whole number of 0 or more, found the end"#),
      ("count(price", #"character 12: expected `)`, or quotes around an id with spaces or signs, found the end"#),
      ("row(b3)", #"character 8: expected `.` and a field, found the end"#),
      ("row(b3).", #"character 9: expected a field, found the end"#),
      ("index(b3) = 0", #"character 13: expected [SECTION, ROW], found "0""#),
      ("section(odd) = 1", #"character 14: expected `.count` with an operator and a number, found "=""#),
      ("exists()", #"character 8: expected an id or a key in the parentheses of exists(), found ")""#),
      ("changed()", #"character 9: expected an id or a key in the parentheses of changed(), found ")""#),
      (
        "exists(War and Peace)",
        #"character 12: expected `)`, or quotes around an id with spaces or signs, found "and""#
      ),
      (
        "count ~ 3",
        #"character 7: expected an operator after count (OPS), found "~""#
      ),
      ("foo", #"character 4: expected an operator after foo, found none; put a value of several words in quotes"#),
      ("price > abc", #"character 9: expected a number for price, found "abc""#),
      ("count(price > abc) > 0", #"character 15: expected a number for price, found "abc""#),
      (
        "count(count > 1 and exists(b3)) > 1",
        #"character 27: expected an operator after exists (OPS), found "(""#
      ),
      (
        "price > 45 or",
        #"character 14: expected a condition such as price > 50, count > 3 or exists(b3), found the end"#
      ),
      (
        "count > 2 and",
        #"character 14: expected a condition such as price > 50, count > 3 or exists(b3), found the end"#
      ),
      (
        "exists(b3) x",
        #"character 12: expected `and`, `or` or the end, found "x"; put a value of several words in quotes"#
      ),
      (
        "count = -1",
        #"character 9: expected a whole number of 0 or more (NAMED), found "-1""#
      ),
      ("section().count = 1", #"character 9: expected an id or a key in the parentheses of section(), found ")""#),
    ] {
      let message = message.replacing("OPS", with: "= != < <= > >= contains starts ends matches in exists")
        .replacing("NAMED", with: "a field named count is written \"count\", with the quotes")
      pinned("find", "LOG", condition).is(2, "", says: "annals: \(message), in \"\(condition)\"")
    }
    pinned("find", "LOG", "").is(
      2, "", says: "annals: expected a condition such as price > 50, count > 3 or exists(b3), found \"\"")
    pinned("find", "LOG", "exists(b3)", "9..3").is(
      2, "", says: #"annals: A..B: 9 is after 3"#)
  }

  @Test func `find as JSON has the batch`() {
    pinned("find", "LOG", "count > 2", "--each", "--json").is(
      0,
      #"""
      {"position":3,"holds":true,"count":3,"batch":{"from":2,"to":3,"sections":[],"rows":[{"type":"insert","id"\#
      :"b3","at":[0,2],"fields":{"at":{"city":"Bern"},"price":60,"shelf":"odd","tags":["a","b"],"title":"War an\#
      d Peace"},"events":[3]}],"time":"2026-03-01T10:03:00Z","eventCount":1,"events":[{"position":3,"time":"202\#
      6-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transac\#
      tion":2,"actor":"bob","correlationid":"c-1"}]}}
      {"position":7,"holds":false,"count":2,"batch":{"from":6,"to":7,"sections":[],"rows":[{"type":"delete","id\#
      ":"b2","at":[0,1],"old":{"price":20,"shelf":"even","title":"Büche"},"events":[7]}],"time":"2026-03-01T10:\#
      07:00Z","eventCount":1,"events":[{"position":7,"time":"2026-03-01T10:07:00Z","type":"RecordDeleted","sour\#
      ce":"shop","id":"e7","stream":"book","version":6,"transaction":5,"actor":"eve"}]}}
      {"position":8,"holds":true,"count":3,"batch":{"from":7,"to":8,"sections":[],"rows":[{"type":"insert","id"\#
      :"a.b","at":[0,0],"fields":{"x":1,"x.y":2},"events":[8]}],"time":"2026-03-01T10:08:00Z","eventCount":1,"e\#
      vents":[{"position":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","st\#
      ream":"book","version":7,"transaction":6}]}}
      """#)
    pinned("find", "LOG", "exists(a.b)", "--json").is(
      0,
      #"""
      {"position":8,"holds":true,"count":3,"batch":{"from":7,"to":8,"sections":[],"rows":[{"type":"insert","id"\#
      :"a.b","at":[0,0],"fields":{"x":1,"x.y":2},"events":[8]}],"time":"2026-03-01T10:08:00Z","eventCount":1,"e\#
      vents":[{"position":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","st\#
      ream":"book","version":7,"transaction":6}]}}
      """#)
    pinned("find", "LOG", "count > 0", "4..", "--json").is(
      0,
      #"""
      {"position":4,"holds":true,"count":3,"batch":{"from":0,"to":4,"sections":[],"rows":[{"type":"insert","id"\#
      :"b1","at":[0,0],"fields":{"price":50,"shelf":"odd","title":"Annals"},"events":[1]},{"type":"insert","id"\#
      :"b2","at":[0,1],"fields":{"price":20,"shelf":"even","title":"Büche"},"events":[2]},{"type":"insert","id"\#
      :"b3","at":[0,2],"fields":{"at":{"city":"Bern"},"price":40,"shelf":"odd","tags":["a","b"],"title":"War an\#
      d Peace"},"events":[3,4]}],"time":"2026-03-01T10:04:00Z","eventCount":4,"events":[{"position":1,"time":"2\#
      026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book","version":1,"trans\#
      action":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command":"open-shop"},{"po\#
      sition":2,"time":"2026-03-01T10:02:00Z","type":"RecordInserted","source":"shop","id":"e2","stream":"book"\#
      ,"version":2,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command\#
      ":"open-shop"},{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"\#
      e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"},{"position":4,"time"\#
      :"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","stream":"book","version":4,"tra\#
      nsaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"reprice-b3","command":"reprice-b3"}\#
      ]}}
      """#)
  }

  @Test(arguments: [
    ("pric > 90", "no row ever had a field pric; did you mean price?"),
    ("cout > 5", "no row ever had a field cout; did you mean count?"),
    ("row(b1).pric > 1", "no row ever had a field pric; did you mean price?"),
    ("count(pric > 1) > 0", "no row ever had a field pric; did you mean price?"),
    ("row(b9).price > 90", "the list never had a row with the id b9; did you mean b1?"),
    ("exists(b9) and count > 1", "the list never had a row with the id b9; did you mean b1?"),
    ("changed(b9.price)", "the list never had a row with the id b9.price"),
    ("index(b9) = [0, 0]", "the list never had a row with the id b9; did you mean b1?"),
    ("section(zz).count > 0", "the list never had the section zz"),
    ("price >> 3", "expected a value for price"),
    ("price = = 3", "expected a value for price"),
  ])
  func `a condition with a name that never was in the list is an error`(condition: String, message: String) throws {
    let shop = try ShopTool()
    let answer = shop.tool.run("find", shop.tool.log, condition)
    #expect(answer.status == 2 && answer.output == "" && answer.talk.contains(message), "\(answer)")
    // A name that was in the list at some time is no error.
    for known in ["price > 900", "exists(b2) and count > 90", "row(b2).price > 900", "changed(b2.title)"] {
      #expect(shop.tool.run("find", shop.tool.log, known).status < 2, "\(known)")
    }
  }

  @Test func `a list without events in the log, and a condition on an unknown field, are errors`() throws {
    let shop = try ShopTool()
    let list = shop.tool.run("show", shop.tool.log, "--list", "bookshop")
    let words = "--list: the log has no event of the list bookshop. The lists of its events are records\n"
    #expect(list.status == 2 && list.talk == "annals: \(words)", "\(list)")
    let field = shop.tool.run("show", shop.tool.log, "--where", "prise > 3")
    #expect(field.status == 2 && field.talk.hasSuffix("no row has a field prise; did you mean price?\n"), "\(field)")
    let twice = shop.tool.run("show", shop.tool.log, "--where", "price >> 3")
    #expect(twice.status == 2 && twice.talk.contains("expected a value for price, found \">\""), "\(twice)")
    #expect(shop.tool.run("show", shop.tool.log, "--where", "price > 900").status == 0)
  }
}
