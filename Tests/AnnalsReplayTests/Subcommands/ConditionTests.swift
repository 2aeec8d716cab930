import Testing

/// The conditions of `--where`, on a log whose answers are known.
@Suite struct ConditionTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  @Test(arguments: [
    ("price > 30", "b1 b3"),
    ("price>30", "b1 b3"),
    ("price >30 and shelf=even", "b1"),
    ("shelf = even or price = 40", "b1 b3"),
    ("(shelf = even or price = 40) and not title contains n", ""),
    ("not shelf exists", "a.b"),
    ("shelf in (odd, even)", "b1 b3"),
    (#"shelf in ["odd"]"#, "b3"),
    ("title starts Ann", "b1"),
    ("title ends s", "b1"),
    ("title matches ^W", "b3"),
    ("title = War and Peace", "b3"),
    (#"title = "War and Peace""#, "b3"),
    ("title = War and Peace and price > 30", "b3"),
    ("at.city = Bern", "b3"),
    ("tags[0] = a", "b3"),
    ("tags[1] = b", "b3"),
    ("tags[2] exists", ""),
    ("tags contains b", "b3"),
    ("id = b1", "b1"),
    ("id in (b1, b3)", "b1 b3"),
    ("id starts b", "b1 b3"),
    ("x.y = 3", "a.b"),
    ("x.y exists", "a.b"),
    (#"title contains " and ""#, "b3"),
    ("price = 40.0", "b3"),
    (#"price = "40""#, ""),
    ("shelf = null", "a.b"),
    ("shelf != odd", "a.b b1"),
    ("price > 3)", ""),
    ("in in (a)", ""),
    ("((price > 3))", "b1 b3"),
    ("price>3andshelf=odd", ""),
    ("title = (a", ""),
    ("title = a)", ""),
    (#"tags = ["a","b"]"#, "b3"),
    (#"tags = ["a", "b"] and price = 40"#, "b3"),
    ("not not price > 30", "b1 b3"),
    ("not(price > 30)", "a.b"),
    ("price > 30 AND shelf = even", "b1"),
    (#""title" = Annals"#, "b1"),
    (#""ti\u0074le" = Annals"#, "b1"),
    (#"title = "Ann"#, ""),
    ("id exists", "a.b b1 b3"),
    ("tags[-1] = b", ""),
    ("tags[00] = a", "b3"),
    ("title = and", ""),
    ("title = or or price = 40", "b3"),
    ("title in (War and Peace)", "b3"),
    ("title in (War and Peace, Annals) and price < 45", "b3"),
    ("price exists and title exists", "b1 b3"),
    ("title =", ""),
    ("NOT price > 30", "a.b"),
  ])
  func `a condition shows the rows that meet it`(condition: String, ids: String) {
    let answer = shop.tool.run("show", shop.tool.log, "--where", condition)
    let found = answer.lines.dropFirst().map { $0.split(separator: " ")[0] }.joined(separator: " ")
    #expect(answer.status == 0 && found == ids, "\(answer)")
  }

  @Test(arguments: [
    (
      "title",
      #"expected FIELD OP VALUE with one of = != < <= > >= contains starts ends matches in exists, found "title""#
    ),
    (
      "= 3",
      #"expected FIELD OP VALUE with one of = != < <= > >= contains starts ends matches in exists, found "#
        + "the operator first"
    ),
    ("price >", #"expected a value after >, found none"#),
    (
      "price ! 3",
      #"expected FIELD OP VALUE with one of = != < <= > >= contains starts ends matches in exists, found "price ! 3""#
    ),
    ("(price > 3", #"expected ), found the end"#),
    ("and", #"expected FIELD OP VALUE with one of = != < <= > >= contains starts ends matches in exists, found "and""#),
    ("not", #"expected FIELD OP VALUE with one of = != < <= > >= contains starts ends matches in exists, found "not""#),
    ("price > 3 and", #"expected a condition after and, or quotes around a value that ends with it, found 3 and"#),
    ("title matches (", #"expected a regular expression after matches, found "(""#),
    ("price in", #"expected (VALUE, VALUE) after in, found """#),
    ("price in (", #"expected ) at the end of the values, found the end"#),
    ("title contains", #"expected a value after contains, found none"#),
    (
      "price > 30 or or shelf = odd",
      #"expected a condition after or, or quotes around a value that ends with it, found 30 or"#
    ),
    ("not exists = 1", #"expected the end, found "= 1""#),
    (
      "title = Bread and",
      #"expected a condition after and, or quotes around a value that ends with it, found Bread and"#
    ),
  ])
  func `a condition that is none is a mistake, which says what was expected`(condition: String, message: String) {
    let answer = shop.tool.run("show", shop.tool.log, "--where", condition)
    #expect(
      answer.status == 2 && answer.talk == "annals: --where: \(message), in \"\(condition)\"\n", "\(answer.talk)")
  }

  @Test func `a field that no row has is named, with the nearest`() {
    let answer = shop.tool.run("show", shop.tool.log, "--where", "prise > 3")
    #expect(answer.status == 2 && answer.talk == "annals: no row has a field prise; did you mean price?\n")
    // A field can be missing in all rows.
    let other = shop.tool.run("show", shop.tool.log, "--where", "zzz > 3")
    #expect(other.status == 0 && other.talk.hasPrefix("no row has a field zzz\n"), "\(other)")
  }
}
