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
    (#"shelf in ("odd")"#, "b3"),
    ("title starts Ann", "b1"),
    ("title ends s", "b1"),
    ("title matches ^W", "b3"),
    ("title = 'War and Peace'", "b3"),
    (#"title = "War and Peace""#, "b3"),
    (#"title="War and Peace"&&price > 30||price=3"#, "b3"),
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
    ("price = 40 and not (title exists && price < 5)", "b3"),
    ("shelf = null", "a.b"),
    ("shelf != odd", "a.b b1"),
    (#""in" in (a)"#, ""),
    ("((price > 3))", "b1 b3"),
    ("", "a.b b1 b3"),
    ("title = NULL", "a.b"),
    (#"tags = ["a","b"]"#, "b3"),
    (#"tags = ["a", "b"] and price = 40"#, "b3"),
    ("not not price > 30", "b1 b3"),
    ("not(price > 30)", "a.b"),
    ("price > 30 AND shelf = even", "b1"),
    (#""title" = Annals"#, "b1"),
    (#""ti\u0074le" = Annals"#, "b1"),
    ("id exists", "a.b b1 b3"),
    ("tags[9] = b", ""),
    ("tags[00] = a", "b3"),
    ("title = and", ""),
    ("title = or or price = 40", "b3"),
    ("title in ('War and Peace')", "b3"),
    ("title in ('War and Peace', Annals) AND price < 45", "b3"),
    ("price exists and title exists", "b1 b3"),
    (#"title matches '^\w+ and'"#, "b3"),
    ("NOT price > 30", "a.b"),
  ])
  func `a condition shows the rows that meet it`(condition: String, ids: String) {
    let answer = shop.tool.run("show", shop.tool.log, "--where", condition)
    let found = answer.lines.dropFirst().map { $0.split(separator: " ")[0] }.joined(separator: " ")
    #expect(answer.status == 0 && found == ids, "\(answer)")
  }

  @Test(arguments: [
    ("title", "character 6: expected an operator after title, found noneHINT"),
    (
      "title = War and Peace",
      "character 22: expected an operator after Peace, found noneHINT"
    ),
    (
      "title = War of",
      "character 13: expected `and`, `or` or the end, found \"of\"HINT"
    ),
    ("= 3", "character 1: expected a field, found \"=\""),
    ("price >", "character 8: expected a value for price, found the end"),
    ("branch =", "character 9: expected a value for branch, found the end"),
    ("price >> 3", "character 8: expected a value for price, found \">\""),
    ("price = = 3", "character 9: expected a value for price, found \"=\""),
    ("price ! 3", "character 7: expected a field, an operator, a value or a quoted string, found \"!\""),
    (
      "price ~ 3",
      "character 7: expected an operator after price (OPS), found \"~\""
    ),
    ("(price > 3", "character 11: expected `and`, `or` or `)`, found the end"),
    (
      "price > 3)", "character 10: expected `and`, `or` or the end, found \")\"HINT"
    ),
    ("and", "character 1: expected a field, found \"and\""),
    ("not", "character 4: expected a field, found the end"),
    ("price > 3 and", "character 14: expected a field, found the end"),
    ("title matches '('", "character 15: expected a regular expression for title, found \"'('\""),
    ("price in", "character 9: expected `(` and a list of values after `in`, found the end"),
    ("price in (", "character 11: expected a value for price, found the end"),
    ("shelf in [\"odd\"]", "character 10: expected `(` and a list of values after `in`, found \"[\"odd\"]\""),
    ("title contains", "character 15: expected a value for title, found the end"),
    ("price > 30 or or shelf = odd", "character 15: expected a field, found \"or\""),
    ("title = \"Ann", "character 13: expected \" at the end of the string that begins at character 9, found the end"),
    ("tags = [1", "character 8: expected a JSON array or object, found \"[1\""),
  ])
  func `a condition that is none is a mistake, which says what was expected`(condition: String, message: String) {
    let message = message.replacing("HINT", with: "; put a value of several words in quotes")
      .replacing("OPS", with: "= != < <= > >= contains starts ends matches in exists")
    let answer = shop.tool.run("show", shop.tool.log, "--where", condition)
    #expect(
      answer.status == 2 && answer.talk == "annals: --where: \(message), in \"\(condition)\"\n", "\(answer.talk)")
  }

  @Test(arguments: [
    ("price > abc", "character 9: expected a number for price, found \"abc\""),
    ("price != abc", "character 10: expected a number for price, found \"abc\""),
    ("price = \"40\"", "character 9: expected a number for price, found \"40\""),
    ("shelf = odd and price in (5, abc)", "character 30: expected a number for price, found \"abc\""),
    ("price contains 4", "character 16: expected another operator after price, which isn't a string, found \"4\""),
    ("title = [1]", "character 9: expected a string for title, found \"[1]\""),
    ("tags = 5", "character 8: expected a JSON array or object for tags, found \"5\""),
  ])
  func `a comparison with a value of a kind that no row has is an error`(condition: String, message: String) {
    let answer = shop.tool.run("show", shop.tool.log, "--where", condition)
    // Random tests skip these conditions by this property.
    #expect(answer.refusesKind && answer.talk == "annals: --where: \(message), in \"\(condition)\"\n", "\(answer.talk)")
  }

  @Test func `a field that no row has is named, with the nearest`() {
    let answer = shop.tool.run("show", shop.tool.log, "--where", "prise > 3")
    #expect(answer.status == 2 && answer.talk == "annals: no row has a field prise; did you mean price?\n")
    // A field can be missing in all rows.
    let other = shop.tool.run("show", shop.tool.log, "--where", "zzz > 3")
    #expect(other.status == 0 && other.talk.hasPrefix("no row has a field zzz\n"), "\(other)")
  }
}
