import Testing

/// `annals why`, on a log whose answers are known.
@Suite struct WhyTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `why says where a row is, since when, and beside what`() {
    pinned("why", "LOG", "b1").is(
      0,
      #"""
      b1 is at [0, 1] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b came in before it
        after        a.b  x: {"y":3}
        before       b3  at: {"city":"Bern"}, price: 40, shelf: odd, tags: ["a","b"], title: War and Peace
      """#)
    pinned("why", "LOG", "b3").is(
      0,
      #"""
      b3 is at [0, 2] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b came in before it
        after        b1  price: 50, shelf: even, title: Annals
      """#)
    pinned("why", "LOG", "b3", "--where", "price >= 40").is(
      0,
      #"""
      b3 is at [0, 1] in the list at 9.
        there since  3  2026-03-01T10:03:00Z  RecordInserted  bob
        because      it came in
        after        b1  price: 50, shelf: even, title: Annals
      """#)
    pinned("why", "LOG", "b3", "--section-by", "shelf").is(
      0,
      #"""
      b3 is at [2, 0] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b began a section before it
      """#)
    pinned("why", "LOG", "a.b").is(
      0,
      #"""
      a.b is at [0, 0] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      it came in
        before       b1  price: 50, shelf: even, title: Annals
      """#)
  }

  @Test func `why says what keeps a row away`() {
    pinned("why", "LOG", "b2").is(
      1,
      #"""
      b2 is not in the list at 9.
        deleted by  7  2026-03-01T10:07:00Z  RecordDeleted  eve
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 50").is(
      1,
      #"""
      b3 is not in the list at 9, though it exists.
        hidden by    --where price > 50: price is 40
        since        4  2026-03-01T10:04:00Z  RecordUpdated  ann  by command reprice-b3
      """#)
    pinned("why", "LOG", "b3", "--limit", "1").is(
      1,
      #"""
      b3 is not in the list at 9: it is at [0, 2], outside of what --limit and --offset let through.
      """#)
    pinned("why", "LOG", "b1", "--limit", "1", "--offset", "2").is(
      1,
      #"""
      b1 is not in the list at 9: it is at [0, 1], outside of what --limit and --offset let through.
      """#)
    pinned("why", "LOG", "b9").is(
      1,
      #"""
      b9 is not in the list at 9: no event up to there made such a row in book.
      """#)
    pinned("why", "LOG", "b3", "--at", "2").is(
      1,
      #"""
      b3 is not in the list at 2: no event up to there made such a row in book.
        it is inserted later, by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b3", "--at", "0").is(
      1,
      #"""
      b3 is not in the list at 0: no event up to there made such a row in records.
        it is inserted later, by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b1", "--where", "shelf = odd").is(
      1,
      #"""
      b1 is not in the list at 9, though it exists.
        hidden by    --where shelf = odd: shelf is even
        since        5  2026-03-01T10:05:00Z  RecordUpdated
      """#)
    pinned("why", "LOG", "b1", "--where", "nosuch exists").is(
      1,
      #"""
      b1 is not in the list at 9, though it exists.
        hidden by    --where nosuch exists: nosuch is (none)
        since        1  2026-03-01T10:01:00Z  RecordInserted  ann  by command open-shop
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 10", "--where", "shelf = even").is(
      1,
      #"""
      b3 is not in the list at 9, though it exists.
        hidden by    --where shelf = even: shelf is odd
        since        3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "", "--at", "1").is(
      1,
      #"""
      "" is not in the list at 1: no event up to there made such a row in book.
      """#)
    pinned("why", "LOG", "b3", "--at", "10:02").is(
      1,
      #"""
      b3 is not in the list at 2: no event up to there made such a row in book.
        it is inserted later, by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#, says: #"--at 10:02: position 2, 2026-03-01T10:02:00Z"#)
    pinned("why", "LOG", "").is(
      1,
      #"""
      "" is not in the list at 9: no event up to there made such a row in book.
      """#)
  }

  @Test func `why as JSON has each kind of answer`() {
    pinned("why", "LOG", "b1", "--json").is(
      0,
      #"""
      {"id":"b1","position":9,"why":"shown","path":[0,1],"since":8,"reason":"a.b came in before it","event":{"p\#
      osition":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book\#
      ","version":7,"transaction":6},"after":{"id":"a.b","fields":{"x":{"y":3}}},"before":{"id":"b3","fields":{\#
      "at":{"city":"Bern"},"price":40,"shelf":"odd","tags":["a","b"],"title":"War and Peace"}}}
      """#)
    pinned("why", "LOG", "b3", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[0,2],"since":8,"reason":"a.b came in before it","event":{"p\#
      osition":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book\#
      ","version":7,"transaction":6},"after":{"id":"b1","fields":{"price":50,"shelf":"even","title":"Annals"}}}
      """#)
    pinned("why", "LOG", "b2", "--json").is(
      1,
      #"""
      {"id":"b2","position":9,"why":"deleted","event":{"position":7,"time":"2026-03-01T10:07:00Z","type":"Recor\#
      dDeleted","source":"shop","id":"e7","stream":"book","version":6,"transaction":5,"actor":"eve"}}
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 50", "--json").is(
      1,
      #"""
      {"id":"b3","position":9,"why":"hidden","by":"--where price > 50","values":{"price":40},"event":{"position\#
      ":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","stream":"book","versi\#
      on":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"reprice-b3","command":"re\#
      price-b3"}}
      """#)
    pinned("why", "LOG", "b3", "--where", "price >= 40", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[0,1],"since":3,"reason":"it came in","event":{"position":3,\#
      "time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version"\#
      :3,"transaction":2,"actor":"bob","correlationid":"c-1"},"after":{"id":"b1","fields":{"price":50,"shelf":"\#
      even","title":"Annals"}}}
      """#)
    pinned("why", "LOG", "b3", "--limit", "1", "--json").is(1, #"{"id":"b3","position":9,"why":"cut","path":[0,2]}"#)
    pinned("why", "LOG", "b1", "--limit", "1", "--offset", "2", "--json").is(
      1, #"{"id":"b1","position":9,"why":"cut","path":[0,1]}"#)
    pinned("why", "LOG", "b9", "--json").is(1, #"{"id":"b9","position":9,"why":"never"}"#)
    pinned("why", "LOG", "b3", "--at", "2", "--json").is(
      1,
      #"""
      {"id":"b3","position":2,"why":"never","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordI\#
      nserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlation\#
      id":"c-1"}}
      """#)
    pinned("why", "LOG", "b3", "--at", "0", "--json").is(
      1,
      #"""
      {"id":"b3","position":0,"why":"never","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordI\#
      nserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlation\#
      id":"c-1"}}
      """#)
    pinned("why", "LOG", "b1", "--where", "shelf = odd", "--json").is(
      1,
      #"""
      {"id":"b1","position":9,"why":"hidden","by":"--where shelf = odd","values":{"shelf":"even"},"event":{"pos\#
      ition":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","stream":"book","\#
      version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"}}
      """#)
    pinned("why", "LOG", "b1", "--where", "nosuch exists", "--json").is(
      1,
      #"""
      {"id":"b1","position":9,"why":"hidden","by":"--where nosuch exists","values":{"nosuch":null},"event":{"po\#
      sition":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book"\#
      ,"version":1,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command\#
      ":"open-shop"}}
      """#)
    pinned("why", "LOG", "b3", "--section-by", "shelf", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[2,0],"since":8,"reason":"a.b began a section before it","\#
      event":{"position":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book","ve\#
      rsion":7,"transaction":6}}
      """#)
    pinned("why", "LOG", "a.b", "--json").is(
      0,
      #"""
      {"id":"a.b","position":9,"why":"shown","path":[0,0],"since":8,"reason":"it came in","event":{"position":8\#
      ,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book","version\#
      ":7,"transaction":6},"before":{"id":"b1","fields":{"price":50,"shelf":"even","title":"Annals"}}}
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 10", "--where", "shelf = even", "--json").is(
      1,
      #"""
      {"id":"b3","position":9,"why":"hidden","by":"--where shelf = even","values":{"shelf":"odd"},"event":{"pos\#
      ition":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book",\#
      "version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}}
      """#)
    pinned("why", "LOG", "", "--at", "1", "--json").is(1, #"{"id":"","position":1,"why":"never"}"#)
  }
}
