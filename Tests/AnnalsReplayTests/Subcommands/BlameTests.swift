import Testing

/// `annals blame`, on a log whose answers are known.
@Suite struct BlameTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `blame names the event that last changed each field, or one`() {
    pinned("blame", "LOG", "b1").is(
      0,
      #"""
      .price  50          1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      .shelf  odd → even  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
      .title  Annals      1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("blame", "LOG", "b3").is(
      0,
      #"""
      .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60 → 40          4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
      .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
      .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("blame", "LOG", "b1.price").is(
      0,
      #"""
      .price  50  1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("blame", "LOG", "b1.shelf").is(
      0,
      #"""
      .shelf  odd → even  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
      """#)
    pinned("blame", "LOG", "b2").is(
      0,
      #"""
      b2 was deleted by 7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .price  20 → (none)     7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .shelf  even → (none)   7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .title  Büche → (none)  7  2026-03-01T10:07:00Z  RecordDeleted  eve
      """#)
    pinned("blame", "LOG", "b3.at").is(0, #".at  {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob"#)
    pinned("blame", "LOG", "b3.at.city").is(0, #".at.city  Bern  3  2026-03-01T10:03:00Z  RecordInserted  bob"#)
    pinned("blame", "LOG", "a.b").is(
      0,
      #"""
      .x    1 → {"y":3}  9  2026-03-01T10:09:00Z  RecordUpdated  bob
      .x.y  2 → (none)   9  2026-03-01T10:09:00Z  RecordUpdated  bob
      """#)
    pinned("blame", "LOG", "a.b.x").is(0, #".x  1 → {"y":3}  9  2026-03-01T10:09:00Z  RecordUpdated  bob"#)
    pinned("blame", "LOG", "a.b.x.y").is(0, #".x.y  2 → (none)  9  2026-03-01T10:09:00Z  RecordUpdated  bob"#)
  }

  @Test func `blame looks from a place, at all changes, and at where the row is`() {
    pinned("blame", "LOG", "b3", "--all").is(
      0,
      #"""
      .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
      .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
      .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
      .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60 → 40          4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      """#)
    pinned("blame", "LOG", "b3", "--at", "3").is(
      0,
      #"""
      .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
      .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
      .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
      .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("blame", "LOG", "b1", "--place").is(
      0,
      #"""
      .price  50          1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      .shelf  odd → even  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
      .title  Annals      1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      place [0, 1], since  8  2026-03-01T10:08:00Z  RecordInserted  a.b came in before it
      """#)
    pinned("blame", "LOG", "b3", "--place", "--section-by", "shelf").is(
      0,
      #"""
      .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60 → 40          4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
      .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
      .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      place [2, 0], since  8  2026-03-01T10:08:00Z  RecordInserted  a.b began a section before it
      """#)
    pinned("blame", "LOG", "b2", "--place").is(
      0,
      #"""
      b2 was deleted by 7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .price  20 → (none)     7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .shelf  even → (none)   7  2026-03-01T10:07:00Z  RecordDeleted  eve
      .title  Büche → (none)  7  2026-03-01T10:07:00Z  RecordDeleted  eve
      """#)
    pinned("blame", "LOG", "b2", "--at", "4", "--all").is(
      0,
      #"""
      .price  20     2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
      .shelf  even   2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
      .title  Büche  2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("blame", "LOG", "b3.price", "--time", "local").is(
      0,
      #"""
      .price  60 → 40  4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
      """#)
    pinned("blame", "LOG", "b1", "--place", "--where", "price > 90").is(
      0,
      #"""
      .price  50          1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      .shelf  odd → even  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
      .title  Annals      1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("blame", "LOG", "b3", "--at", "-6").is(
      0,
      #"""
      .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
      .price  60               3  2026-03-01T10:03:00Z  RecordInserted  bob
      .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
      .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
      .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#, says: #"--at -6: position 3, 2026-03-01T10:03:00Z"#)
  }

  @Test func `blame of a row or a field that never was says so, with the nearest name`() {
    pinned("blame", "LOG", "a.b.z").is(1, "", says: #"annals: the row "a.b" never had a field z; did you mean x?"#)
    pinned("blame", "LOG", "b1.prise").is(
      1, "", says: #"annals: the row "b1" never had a field prise; did you mean price?"#)
    pinned("blame", "LOG", "b1.").is(1, "", says: #"annals: no event up to 9 made a row "b1." in the list book"#)
    pinned("blame", "LOG", "b9").is(1, "", says: #"annals: no event up to 9 made a row "b9" in the list book"#)
    pinned("blame", "LOG", "").is(1, "", says: #"annals: no event up to 9 made a row "" in the list book"#)
    pinned("blame", "LOG", ".").is(1, "", says: #"annals: no event up to 9 made a row "." in the list book"#)
    pinned("blame", "LOG", ".price").is(1, "", says: #"annals: no event up to 9 made a row ".price" in the list book"#)
    pinned("blame", "LOG", "b9.price").is(
      1, "", says: #"annals: no event up to 9 made a row "b9.price" in the list book"#)
    pinned("blame", "LOG", "b1", "--place", "--at", "0").is(
      1, "", says: #"annals: no event up to 0 made a row "b1" in the list records"#)
    pinned("blame", "LOG").is(
      2, "",
      says: #"""
        annals: annals blame needs ROW[.FIELD]
        usage: annals blame LOG ROW[.FIELD] [options]
        """#)
  }

  @Test func `blame as JSON has the events whole`() {
    pinned("blame", "LOG", "b3", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"exists":true,"changes":[{"field":"at","old":null,"new":{"city":"Bern"},"kind":"i\#
      nserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id"\#
      :"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"price",\#
      "old":60,"new":40,"kind":"changed","event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpda\#
      ted","source":"shop","id":"e4","stream":"book","version":4,"transaction":3,"actor":"ann","correlationid":\#
      "reprice-b3","causationid":"reprice-b3","command":"reprice-b3"}},{"field":"shelf","old":null,"new":"odd",\#
      "kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"s\#
      hop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field"\#
      :"tags","old":null,"new":["a","b"],"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z",\#
      "type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bo\#
      b","correlationid":"c-1"}},{"field":"title","old":null,"new":"War and Peace","kind":"inserted","event":{"\#
      position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"boo\#
      k","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("blame", "LOG", "b2", "--json").is(
      0,
      #"""
      {"id":"b2","position":9,"exists":false,"changes":[{"field":"price","old":20,"new":null,"kind":"deleted","\#
      event":{"position":7,"time":"2026-03-01T10:07:00Z","type":"RecordDeleted","source":"shop","id":"e7","stre\#
      am":"book","version":6,"transaction":5,"actor":"eve"}},{"field":"shelf","old":"even","new":null,"kind":"d\#
      eleted","event":{"position":7,"time":"2026-03-01T10:07:00Z","type":"RecordDeleted","source":"shop","id":"\#
      e7","stream":"book","version":6,"transaction":5,"actor":"eve"}},{"field":"title","old":"Büche","new":null\#
      ,"kind":"deleted","event":{"position":7,"time":"2026-03-01T10:07:00Z","type":"RecordDeleted","source":"sh\#
      op","id":"e7","stream":"book","version":6,"transaction":5,"actor":"eve"}}]}
      """#)
    pinned("blame", "LOG", "b1", "--place", "--json").is(
      0,
      #"""
      {"id":"b1","position":9,"exists":true,"changes":[{"field":"price","old":null,"new":50,"kind":"inserted","\#
      event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","str\#
      eam":"book","version":1,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-sho\#
      p","command":"open-shop"}},{"field":"shelf","old":"odd","new":"even","kind":"changed","event":{"position"\#
      :5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","stream":"book","versio\#
      n":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"}},{"field":"title","old":null,"new":\#
      "Annals","kind":"inserted","event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","s\#
      ource":"shop","id":"e1","stream":"book","version":1,"transaction":1,"actor":"ann","correlationid":"open-s\#
      hop","causationid":"open-shop","command":"open-shop"}}],"place":{"path":[0,1],"since":8,"reason":"a.b cam\#
      e in before it","event":{"position":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"sho\#
      p","id":"e8","stream":"book","version":7,"transaction":6}}}
      """#)
    pinned("blame", "LOG", "b1.shelf", "--json").is(
      0,
      #"""
      {"id":"b1","position":9,"exists":true,"changes":[{"field":"shelf","old":"odd","new":"even","kind":"change\#
      d","event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","\#
      stream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"}}]}
      """#)
  }
}
