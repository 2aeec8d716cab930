import Testing

/// The events of fields that `annals why` prints, on a log with known results.
@Suite struct WhyFieldTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `why names the last event of each field, or of one field`() {
    pinned("why", "LOG", "b1.price").is(
      0,
      #"""
      .price  50  1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b1.shelf").is(
      0,
      #"""
      .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
      """#)
    pinned("why", "LOG", "b3.at").is(0, #".at  {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob"#)
    pinned("why", "LOG", "b3.at.city").is(0, #".at.city  Bern  3  2026-03-01T10:03:00Z  RecordInserted  bob"#)
    pinned("why", "LOG", "a.b.x").is(
      0,
      #"""
      .x  {"y":3}, was 1  9  2026-03-01T10:09:00Z  RecordUpdated  bob
      """#)
    pinned("why", "LOG", "a.b.x.y").is(
      0,
      #"""
      .x.y  (none), was 2  9  2026-03-01T10:09:00Z  RecordUpdated  bob
      """#)
  }

  @Test func `why prints the fields at a place, or all changes of the fields`() {
    pinned("why", "LOG", "b3", "--each").is(
      0,
      #"""
      b3 is at [0, 2] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b came in before it
        after        b1  title: Annals, price: 50, shelf: even
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      """#)
    pinned("why", "LOG", "b3", "3").is(
      0,
      #"""
      b3 is at [0, 2] in the list at 3.
        there since  3  2026-03-01T10:03:00Z  RecordInserted  bob
        because      it came in
        after        b2  title: Büche, price: 20, shelf: even
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b2", "4", "--each").is(
      0,
      #"""
      b2 is at [0, 1] in the list at 4.
        there since  2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
        because      it came in
        after        b1  title: Annals, price: 50, shelf: odd
        before       b3  title: War and Peace, at: {"city":"Bern"}, price: 40, shelf: odd, tags: ["a","b"]
        .price  20     2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
        .shelf  even   2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
        .title  Büche  2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b3.price", "--time", "local").is(
      0,
      #"""
      .price  40, was 60  4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      """#)
    pinned("why", "LOG", "b1", "--where", "price > 90").is(
      1,
      #"""
      b1 is not in the list at 9, though it exists.
        hidden by  --where price > 90: price is 50
        since      1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .price  50             1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .title  Annals         1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b3", "-6").is(
      0,
      #"""
      b3 is at [0, 2] in the list at 3.
        there since  3  2026-03-01T10:03:00Z  RecordInserted  bob
        because      it came in
        after        b2  title: Büche, price: 20, shelf: even
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#, says: #"-6: position 3, 2026-03-01T10:03:00Z"#)
  }

  @Test func `a field that no row ever had is an error with the nearest name`() {
    pinned("why", "LOG", "a.b.z").is(2, "", says: #"annals: the row "a.b" never had a field z; did you mean x?"#)
    pinned("why", "LOG", "b1.prise").is(
      2, "", says: #"annals: the row "b1" never had a field prise; did you mean price?"#)
    pinned("why", "LOG", "b1.").is(
      1,
      #"""
      b1. is not in the list at 9: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", ".").is(
      1,
      #"""
      . is not in the list at 9: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", ".price").is(
      1,
      #"""
      .price is not in the list at 9: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", "b9.price").is(
      1,
      #"""
      b9.price is not in the list at 9: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", "b1", "0").is(
      1,
      #"""
      b1 is not in the list at 0: no event up to there inserted the row in records.
        inserted later by  1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG").is(
      2, "",
      says: #"""
        annals: annals why needs ROW[.FIELD]
        usage: annals why LOG ROW[.FIELD] [PLACE] [options]
        """#)
  }

  @Test func `the events of fields are complete in JSON`() {
    pinned("why", "LOG", "b1.shelf", "--json").is(
      0,
      #"""
      {"id":"b1","position":9,"exists":true,"changes":[{"field":"shelf","old":"odd","new":"even","kind":"change\#
      d","event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","\#
      stream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"}}]}
      """#)
  }
}
