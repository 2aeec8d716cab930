import Foundation
import Testing

@testable import AnnalsReplay

/// `annals why`, on a log with known results.
@Suite struct WhyTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `why prints the place of a row, the reason and the neighbors`() {
    pinned("why", "LOG", "b1").is(
      0,
      #"""
      b1 is at [0, 1] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b came in before it
        after        a.b  x: {"y":3}
        before       b3  title: War and Peace, at: {"city":"Bern"}, price: 40, shelf: odd, tags: ["a","b"]
        .price  50             1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .title  Annals         1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b3").is(
      0,
      #"""
      b3 is at [0, 2] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b came in before it
        after        b1  title: Annals, price: 50, shelf: even
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b3", "--where", "price >= 40").is(
      0,
      #"""
      b3 is at [0, 1] in the list at 9.
        there since  3  2026-03-01T10:03:00Z  RecordInserted  bob
        because      it came in
        after        b1  title: Annals, price: 50, shelf: even
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b3", "--section-by", "shelf").is(
      0,
      #"""
      b3 is at [2, 0] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      a.b began a section before it
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "a.b").is(
      0,
      #"""
      a.b is at [0, 0] in the list at 9.
        there since  8  2026-03-01T10:08:00Z  RecordInserted
        because      it came in
        before       b1  title: Annals, price: 50, shelf: even
        .x    {"y":3}, was 1  9  2026-03-01T10:09:00Z  RecordUpdated  bob
        .x.y  (none), was 2   9  2026-03-01T10:09:00Z  RecordUpdated  bob
      """#)
  }

  @Test func `why explains why a row isn't listed`() {
    pinned("why", "LOG", "b2").is(
      1,
      #"""
      b2 is not in the list at 9.
        deleted by   7  2026-03-01T10:07:00Z  RecordDeleted  eve
        inserted by  2  2026-03-01T10:02:00Z  RecordInserted  ann  by open-shop
        .price  (none), was 20     7  2026-03-01T10:07:00Z  RecordDeleted  eve
        .shelf  (none), was even   7  2026-03-01T10:07:00Z  RecordDeleted  eve
        .title  (none), was Büche  7  2026-03-01T10:07:00Z  RecordDeleted  eve
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 50").is(
      1,
      #"""
      b3 is not in the list at 9, though it exists.
        hidden by  --where price > 50: price is 40
        since      4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b3", "--limit", "1").is(
      1,
      #"""
      b3 is not in the list at 9: it is at [0, 2], which --limit leaves out.
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b1", "--limit", "1").is(
      1,
      #"""
      b1 is not in the list at 9: it is at [0, 1], which --limit leaves out.
        .price  50             1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .title  Annals         1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b9").is(
      1,
      #"""
      b9 is not in the list at 9: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", "b3", "2").is(
      1,
      #"""
      b3 is not in the list at 2: no event up to there inserted the row in book.
        inserted later by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b3", "0").is(
      1,
      #"""
      b3 is not in the list at 0: no event up to there inserted the row in records.
        inserted later by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "b1", "--where", "shelf = odd").is(
      1,
      #"""
      b1 is not in the list at 9, though it exists.
        hidden by  --where shelf = odd: shelf is even
        since      5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .price  50             1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .title  Annals         1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#)
    pinned("why", "LOG", "b1", "--where", "nosuch exists").is(
      1,
      #"""
      b1 is not in the list at 9, though it exists.
        hidden by  --where nosuch exists: nosuch is (none)
        since      1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .price  50             1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
        .shelf  even, was odd  5  2026-03-01T10:05:00Z  RecordUpdated  caused by e4
        .title  Annals         1  2026-03-01T10:01:00Z  RecordInserted  ann  by open-shop
      """#, says: "no row has a field nosuch")
    pinned("why", "LOG", "b3", "--where", "price > 10", "--where", "shelf = even").is(
      1,
      #"""
      b3 is not in the list at 9, though it exists.
        hidden by  --where shelf = even: shelf is odd
        since      3  2026-03-01T10:03:00Z  RecordInserted  bob
        .at     {"city":"Bern"}  3  2026-03-01T10:03:00Z  RecordInserted  bob
        .price  40, was 60       4  2026-03-01T10:04:00Z  RecordUpdated  ann  by reprice-b3
        .shelf  odd              3  2026-03-01T10:03:00Z  RecordInserted  bob
        .tags   ["a","b"]        3  2026-03-01T10:03:00Z  RecordInserted  bob
        .title  War and Peace    3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#)
    pinned("why", "LOG", "", "1").is(
      1,
      #"""
      "" is not in the list at 1: no event up to there inserted the row in book.
      """#)
    pinned("why", "LOG", "b3", "10:02").is(
      1,
      #"""
      b3 is not in the list at 2: no event up to there inserted the row in book.
        inserted later by  3  2026-03-01T10:03:00Z  RecordInserted  bob
      """#, says: #"10:02: position 2, 2026-03-01T10:02:00Z"#)
    pinned("why", "LOG", "").is(
      1,
      #"""
      "" is not in the list at 9: no event up to there inserted the row in book.
      """#)
  }

  @Test func `JSON contains every kind of reason`() {
    pinned("why", "LOG", "b1", "--json").is(
      0,
      #"""
      {"id":"b1","position":9,"why":"shown","path":[0,1],"since":8,"reason":"a.b came in before it","event":{"p\#
      osition":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book\#
      ","version":7,"transaction":6},"after":{"id":"a.b","fields":{"x":{"y":3}}},"before":{"id":"b3","fields":{\#
      "at":{"city":"Bern"},"price":40,"shelf":"odd","tags":["a","b"],"title":"War and Peace"}},"changes":[{"fie\#
      ld":"price","old":null,"new":50,"kind":"inserted","event":{"position":1,"time":"2026-03-01T10:01:00Z","ty\#
      pe":"RecordInserted","source":"shop","id":"e1","stream":"book","version":1,"transaction":1,"actor":"ann",\#
      "correlationid":"open-shop","causationid":"open-shop","command":"open-shop"}},{"field":"shelf","old":"odd\#
      ","new":"even","kind":"changed","event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated\#
      ","source":"shop","id":"e5","stream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","cau\#
      sationid":"e4"}},{"field":"title","old":null,"new":"Annals","kind":"inserted","event":{"position":1,"time\#
      ":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book","version":1,"t\#
      ransaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command":"open-shop"}}]}
      """#)
    pinned("why", "LOG", "b3", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[0,2],"since":8,"reason":"a.b came in before it","event":{"p\#
      osition":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book\#
      ","version":7,"transaction":6},"after":{"id":"b1","fields":{"price":50,"shelf":"even","title":"Annals"}},\#
      "changes":[{"field":"at","old":null,"new":{"city":"Bern"},"kind":"inserted","event":{"position":3,"time":\#
      "2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"tra\#
      nsaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"price","old":60,"new":40,"kind":"changed","ev\#
      ent":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","stream\#
      ":"book","version":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"reprice-b3\#
      ","command":"reprice-b3"}},{"field":"shelf","old":null,"new":"odd","kind":"inserted","event":{"position":\#
      3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","versio\#
      n":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"tags","old":null,"new":["a","b"],"ki\#
      nd":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop\#
      ","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"t\#
      itle","old":null,"new":"War and Peace","kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:0\#
      0Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor"\#
      :"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "b2", "--json").is(
      1,
      #"""
      {"id":"b2","position":9,"why":"deleted","event":{"position":7,"time":"2026-03-01T10:07:00Z","type":"Recor\#
      dDeleted","source":"shop","id":"e7","stream":"book","version":6,"transaction":5,"actor":"eve"},"changes":\#
      [{"field":"price","old":20,"new":null,"kind":"deleted","event":{"position":7,"time":"2026-03-01T10:07:00Z\#
      ","type":"RecordDeleted","source":"shop","id":"e7","stream":"book","version":6,"transaction":5,"actor":"e\#
      ve"}},{"field":"shelf","old":"even","new":null,"kind":"deleted","event":{"position":7,"time":"2026-03-01T\#
      10:07:00Z","type":"RecordDeleted","source":"shop","id":"e7","stream":"book","version":6,"transaction":5,"\#
      actor":"eve"}},{"field":"title","old":"Büche","new":null,"kind":"deleted","event":{"position":7,"time":"2\#
      026-03-01T10:07:00Z","type":"RecordDeleted","source":"shop","id":"e7","stream":"book","version":6,"transa\#
      ction":5,"actor":"eve"}}]}
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 50", "--json").is(
      1,
      #"""
      {"id":"b3","position":9,"why":"hidden","by":"--where price > 50","values":{"price":40},"event":{"position\#
      ":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","stream":"book","versi\#
      on":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"reprice-b3","command":"re\#
      price-b3"},"changes":[{"field":"at","old":null,"new":{"city":"Bern"},"kind":"inserted","event":{"position\#
      ":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","vers\#
      ion":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"price","old":60,"new":40,"kind":"c\#
      hanged","event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"\#
      e4","stream":"book","version":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":\#
      "reprice-b3","command":"reprice-b3"}},{"field":"shelf","old":null,"new":"odd","kind":"inserted","event":{\#
      "position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"bo\#
      ok","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"tags","old":null,"new":["\#
      a","b"],"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","so\#
      urce":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},\#
      {"field":"title","old":null,"new":"War and Peace","kind":"inserted","event":{"position":3,"time":"2026-03\#
      -01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction\#
      ":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "b3", "--where", "price >= 40", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[0,1],"since":3,"reason":"it came in","event":{"position":3,\#
      "time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version"\#
      :3,"transaction":2,"actor":"bob","correlationid":"c-1"},"after":{"id":"b1","fields":{"price":50,"shelf":"\#
      even","title":"Annals"}},"changes":[{"field":"at","old":null,"new":{"city":"Bern"},"kind":"inserted","eve\#
      nt":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream\#
      ":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"price","old":60,"new\#
      ":40,"kind":"changed","event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source"\#
      :"shop","id":"e4","stream":"book","version":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3",\#
      "causationid":"reprice-b3","command":"reprice-b3"}},{"field":"shelf","old":null,"new":"odd","kind":"inser\#
      ted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3\#
      ","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"tags","old"\#
      :null,"new":["a","b"],"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"Recor\#
      dInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlati\#
      onid":"c-1"}},{"field":"title","old":null,"new":"War and Peace","kind":"inserted","event":{"position":3,"\#
      time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":\#
      3,"transaction":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "b3", "--limit", "1", "--json").is(
      1,
      #"""
      {"id":"b3","position":9,"why":"cut","path":[0,2],"changes":[{"field":"at","old":null,"new":{"city":"Bern"\#
      },"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":\#
      "shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"fiel\#
      d":"price","old":60,"new":40,"kind":"changed","event":{"position":4,"time":"2026-03-01T10:04:00Z","type":\#
      "RecordUpdated","source":"shop","id":"e4","stream":"book","version":4,"transaction":3,"actor":"ann","corr\#
      elationid":"reprice-b3","causationid":"reprice-b3","command":"reprice-b3"}},{"field":"shelf","old":null,"\#
      new":"odd","kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted",\#
      "source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"\#
      }},{"field":"tags","old":null,"new":["a","b"],"kind":"inserted","event":{"position":3,"time":"2026-03-01T\#
      10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,\#
      "actor":"bob","correlationid":"c-1"}},{"field":"title","old":null,"new":"War and Peace","kind":"inserted"\#
      ,"event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","s\#
      tream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "b1", "--limit", "1", "--json").is(
      1,
      #"""
      {"id":"b1","position":9,"why":"cut","path":[0,1],"changes":[{"field":"price","old":null,"new":50,"kind":"\#
      inserted","event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id\#
      ":"e1","stream":"book","version":1,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid\#
      ":"open-shop","command":"open-shop"}},{"field":"shelf","old":"odd","new":"even","kind":"changed","event":\#
      {"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","stream":"bo\#
      ok","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"}},{"field":"title","old":\#
      null,"new":"Annals","kind":"inserted","event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordI\#
      nserted","source":"shop","id":"e1","stream":"book","version":1,"transaction":1,"actor":"ann","correlation\#
      id":"open-shop","causationid":"open-shop","command":"open-shop"}}]}
      """#)
    pinned("why", "LOG", "b9", "--json").is(1, #"{"id":"b9","position":9,"why":"never"}"#)
    pinned("why", "LOG", "b3", "2", "--json").is(
      1,
      #"""
      {"id":"b3","position":2,"why":"never","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordI\#
      nserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlation\#
      id":"c-1"}}
      """#)
    pinned("why", "LOG", "b3", "0", "--json").is(
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
      version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"},"changes":[{"field":"price","\#
      old":null,"new":50,"kind":"inserted","event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordIn\#
      serted","source":"shop","id":"e1","stream":"book","version":1,"transaction":1,"actor":"ann","correlationi\#
      d":"open-shop","causationid":"open-shop","command":"open-shop"}},{"field":"shelf","old":"odd","new":"even\#
      ","kind":"changed","event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"s\#
      hop","id":"e5","stream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4\#
      "}},{"field":"title","old":null,"new":"Annals","kind":"inserted","event":{"position":1,"time":"2026-03-01\#
      T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book","version":1,"transaction":1\#
      ,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command":"open-shop"}}]}
      """#)
    pinned("why", "LOG", "b1", "--where", "nosuch exists", "--json").is(
      1,
      #"""
      {"id":"b1","position":9,"why":"hidden","by":"--where nosuch exists","values":{"nosuch":null},"event":{"po\#
      sition":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book"\#
      ,"version":1,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command\#
      ":"open-shop"},"changes":[{"field":"price","old":null,"new":50,"kind":"inserted","event":{"position":1,"t\#
      ime":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1","stream":"book","version":1\#
      ,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"open-shop","command":"open-shop\#
      "}},{"field":"shelf","old":"odd","new":"even","kind":"changed","event":{"position":5,"time":"2026-03-01T1\#
      0:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","stream":"book","version":5,"transaction":4,"c\#
      orrelationid":"reprice-b3","causationid":"e4"}},{"field":"title","old":null,"new":"Annals","kind":"insert\#
      ed","event":{"position":1,"time":"2026-03-01T10:01:00Z","type":"RecordInserted","source":"shop","id":"e1"\#
      ,"stream":"book","version":1,"transaction":1,"actor":"ann","correlationid":"open-shop","causationid":"ope\#
      n-shop","command":"open-shop"}}]}
      """#, says: "no row has a field nosuch")
    pinned("why", "LOG", "b3", "--section-by", "shelf", "--json").is(
      0,
      #"""
      {"id":"b3","position":9,"why":"shown","path":[2,0],"since":8,"reason":"a.b began a section before it","ev\#
      ent":{"position":8,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","strea\#
      m":"book","version":7,"transaction":6},"changes":[{"field":"at","old":null,"new":{"city":"Bern"},"kind":"\#
      inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id\#
      ":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"price"\#
      ,"old":60,"new":40,"kind":"changed","event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpd\#
      ated","source":"shop","id":"e4","stream":"book","version":4,"transaction":3,"actor":"ann","correlationid"\#
      :"reprice-b3","causationid":"reprice-b3","command":"reprice-b3"}},{"field":"shelf","old":null,"new":"odd"\#
      ,"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"\#
      shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}},{"field\#
      ":"tags","old":null,"new":["a","b"],"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z"\#
      ,"type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"b\#
      ob","correlationid":"c-1"}},{"field":"title","old":null,"new":"War and Peace","kind":"inserted","event":{\#
      "position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"bo\#
      ok","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "a.b", "--json").is(
      0,
      #"""
      {"id":"a.b","position":9,"why":"shown","path":[0,0],"since":8,"reason":"it came in","event":{"position":8\#
      ,"time":"2026-03-01T10:08:00Z","type":"RecordInserted","source":"shop","id":"e8","stream":"book","version\#
      ":7,"transaction":6},"before":{"id":"b1","fields":{"price":50,"shelf":"even","title":"Annals"}},"changes"\#
      :[{"field":"x","old":1,"new":{"y":3},"kind":"changed","event":{"position":9,"time":"2026-03-01T10:09:00Z"\#
      ,"type":"RecordUpdated","source":"shop","id":"e9","stream":"book","version":8,"transaction":7,"actor":"bo\#
      b"}},{"field":"x.y","old":2,"new":null,"kind":"changed","event":{"position":9,"time":"2026-03-01T10:09:00\#
      Z","type":"RecordUpdated","source":"shop","id":"e9","stream":"book","version":8,"transaction":7,"actor":"\#
      bob"}}]}
      """#)
    pinned("why", "LOG", "b3", "--where", "price > 10", "--where", "shelf = even", "--json").is(
      1,
      #"""
      {"id":"b3","position":9,"why":"hidden","by":"--where shelf = even","values":{"shelf":"odd"},"event":{"pos\#
      ition":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book",\#
      "version":3,"transaction":2,"actor":"bob","correlationid":"c-1"},"changes":[{"field":"at","old":null,"new\#
      ":{"city":"Bern"},"kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordIns\#
      erted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid\#
      ":"c-1"}},{"field":"price","old":60,"new":40,"kind":"changed","event":{"position":4,"time":"2026-03-01T10\#
      :04:00Z","type":"RecordUpdated","source":"shop","id":"e4","stream":"book","version":4,"transaction":3,"ac\#
      tor":"ann","correlationid":"reprice-b3","causationid":"reprice-b3","command":"reprice-b3"}},{"field":"she\#
      lf","old":null,"new":"odd","kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"\#
      RecordInserted","source":"shop","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","corr\#
      elationid":"c-1"}},{"field":"tags","old":null,"new":["a","b"],"kind":"inserted","event":{"position":3,"ti\#
      me":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"shop","id":"e3","stream":"book","version":3,\#
      "transaction":2,"actor":"bob","correlationid":"c-1"}},{"field":"title","old":null,"new":"War and Peace","\#
      kind":"inserted","event":{"position":3,"time":"2026-03-01T10:03:00Z","type":"RecordInserted","source":"sh\#
      op","id":"e3","stream":"book","version":3,"transaction":2,"actor":"bob","correlationid":"c-1"}}]}
      """#)
    pinned("why", "LOG", "", "1", "--json").is(1, #"{"id":"","position":1,"why":"never"}"#)
  }
  @Test func `a value that only one row has names the row, and errors name rows with a value`() {
    for operand in ["title=War and Peace", "price=40", "shelf=odd", "at.city=Bern"] {
      let answer = shop.pin(["why", "LOG", operand])
      #expect(answer.status == 0 && answer.output == shop.pin(["why", "LOG", "b3"]).output, "\(operand)")
    }
    #expect(shop.pin(["why", "LOG", "shelf=odd", "--where", "price > 50"]).output.contains("though it exists"))
    pinned("why", "LOG", "shelf=odd", "3").is(
      2, "", says: "annals: 2 rows have shelf = odd: b1, b3; choose a row by its id")
    pinned("why", "LOG", "shelf=none").is(2, "", says: "annals: no row at 9 has the id shelf=none, or shelf = none")
    pinned("why", "LOG", "War and Peace").is(
      2, "", says: "annals: no row has the id War and Peace; title = War and Peace is b3")
    pinned("why", "LOG", "even", "3").is(2, "", says: "annals: no row has the id even; shelf = even is b2")
  }

  @Test func `errors for removed names and options contain the new command line`() {
    for (words, line) in [
      (["blame", "LOG", "b1"], "why LOG ROW[.FIELD] [PLACE]"),
      (["why", "LOG", "b1", "--at", "3"], "why LOG ROW PLACE"),
      (["why", "LOG", "b1", "--place"], "why LOG ROW"),
    ] {
      let answer = shop.pin(words)
      #expect(answer.status == 2 && answer.talk.contains("; did you mean \(line)?\n"), "\(answer.talk)")
    }
    for place in ["3", "id:e3", "cmd:open-shop", "-4", "10:03", "first"] {
      #expect(shop.pin(["why", "LOG", "b1", place]).status == 0, "\(place)")
    }
    let wrong = shop.pin(["why", "LOG", "b1", "nonsense"])
    #expect(wrong.status == 2 && wrong.talk.hasPrefix("annals: PLACE: expected a position (120)"), "\(wrong.talk)")
  }

  @Test func `lines fit the terminal, and the old value of a field is cut before the new value`() throws {
    let tool = try ToolRunner()
    let (old, new) = (String(repeating: "old ", count: 30) + "!", "new 漢字 " + String(repeating: "n", count: 40))
    try tool.importLines([
      inserted(1, "b1", #"{"text":"\#(old)","rank":1}"#), inserted(2, "a neighbor", #"{"text":"\#(old)"}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"text":"\#(new)","rank":12}}"#).replacing(
        #""source""#, with: #""actor":"Gwendal Roué","source""#),
    ])
    tool.isTerminal = true
    for columns in [200, 110, 80, 40, 20] {
      tool.size = (columns, 30)
      for words in [["b1"], ["b1.text"], ["b1", "--each"], ["b9"], ["b1", "--where", "rank > 100"]] {
        let answer = tool.run(["why", tool.log] + words)
        #expect(answer.lines.allSatisfy { Text.width($0) <= columns }, "\(columns): \(answer.output)")
      }
      let lines = tool.run("why", tool.log, "b1").lines
      #expect(lines.contains { $0.contains("12, was 1") } || columns < 40, "\(lines)")
      // No word is cut where it could be on a line of its own.
      #expect(lines.joined(separator: " ").contains("Roué"), "\(lines)")
    }
    tool.size = (110, 30)
    #expect(
      tool.run("why", tool.log, "b1.text").lines == [
        ".text  \(new)  3  2026-01-02T03:04:05Z  RecordUpdated  Gwendal Roué"
      ])
    tool.size = (40, 30)
    #expect(
      tool.run("why", tool.log, "b1.rank").lines == [
        ".rank  12, was 1", "    3 2026-01-02T03:04:05Z RecordUpdated", "    Gwendal Roué",
      ])
    tool.isTerminal = false
    #expect(tool.run("why", tool.log, "b1.text").output.contains(", was \(old)  3  "))
  }
}
