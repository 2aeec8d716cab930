import Annals
import AnnalsTesting
import Foundation
import Testing

/// Whole screens, as they are printed by `--keys`.
@Suite struct ScrubScreenTests {
  private static let screens: [(keys: String, size: String, screen: String)] = [
    (
      "g2⏎mg6⏎", "80x24",
      """
      ┌─ log.annals  book by shelf, −price ──────────── 6 / 7  2026-01-02T03:04:16Z ─┐
      │ █████████████▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ │
      │             ▼            ·                                     ▲             │
      │ 03:04:11         03:04:12         03:04:14         03:04:15         03:04:17 │
      ├─ list ────────────────────────────────────┬─ what did it ────────────────────┤
      │   id  title    price                      │ bob · 2026-01-02 03:04           │
      │ Classics  2  >1                           │ >1                               │
      │ > b3  史記    7 → 99                      │ ▸ 6  RecordUpdated  > b3 史記    │
      │   b1  Annals    60.5                      │   shelf a (was b), price 99 (was │
      │ b  1                                      │   7)                             │
      │   b2  Sagas        9                      ├─ row b3 ─────────────────────────┤
      │                                           │ title 史記  price 99  shelf a    │
      │                                           │   3  inserted  title 史記, pric… │
      │                                           │ ◀ 6  shelf a (was b), price 99   │
      │                                           │   (was 7)  bob                   │
      │                                           │                                  │
      │                                           │                                  │
      │                                           │                                  │
      │                                           │                                  │
      │                                           │                                  │
      │                                           │                                  │
      ├───────────────────────────────────────────┴──────────────────────────────────┤
      │ ←→ transaction  ↑↓ row  ? keys  q quit  ⇧ event  [ ] row's changes  g go     │
      └──────────────────────────────────────────────────────────────────────────────┘
      """
    ),
    (
      "gfirst⏎", "80x14",
      """
      ┌─ log.annals  book by shelf, −price ──────────── 1 / 7  2026-01-02T03:04:11Z ─┐
      │ ████████████│▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ │
      ├─ list ────────────────────────────────────┬─ what did it ────────────────────┤
      │   id  title   price                       │ ann · 2026-01-02 03:04           │
      │ a  1  +1                                  │ +1                               │
      │ + b1  Annals   50.5                       │ ▸ 1  RecordInserted  + b1 Annals │
      │                                           ├─ row b1 ─────────────────────────┤
      │                                           │ title Annals  price 50.5         │
      │                                           │ ◀ 1  inserted  title Annals,     │
      │                                           │   price 50.5, shelf a  ann       │
      │                                           │   4  price 60.5 (was 50.5)  bob  │
      ├───────────────────────────────────────────┴──────────────────────────────────┤
      │ ←→ transaction  ↑↓ row  ? keys  q quit  ⇧ event  [ ] row's changes  g go     │
      └──────────────────────────────────────────────────────────────────────────────┘
      """
    ),
    (
      "←", "40x12",
      """
      log.annals  book by shelf, −pr…    6 / 7
      ███████▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁│▁▁▁▁▁▁
        id  title    price
      Classics  2  >1
      > b3  史記    7 → 99
        b1  Annals    60.5
      b  1
        b2  Sagas        9


      RecordUpdated  bob  >1
      ←→ transaction  ↑↓ row  ? keys  q quit
      """
    ),
    (
      "←", "20x5",
      """
      log.annals…    6 / 7
      Classics  2  >1
      > b3  史記    7 → 99
        b1  Annals    60.5
      ←→ transaction
      """
    ),
    (
      "sp⏎", "112x20",
      """
      ┌─ log.annals  book by shelf, price ───────────────────────────────────────────── 7 / 7  2026-01-02T03:04:17Z ─┐
      │ ██████████████████▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ │
      │                                    ·                                                     ·                 ▲ │
      │ 03:04:11        03:04:12         03:04:13         03:04:14        03:04:15         03:04:16         03:04:17 │
      ├─ list ──────────────────────────────────────────────────────┬─ what did it ──────────────────────────────────┤
      │   id  title   price                                         │ cleo · 2026-01-02 03:04                        │
      │ Classics  2                                                 │ −1                                             │
      │   b1  Annals   60.5                                         │ ▸ 7  RecordDeleted  − b2  title: Sagas, price: │
      │   b3  史記       99                                         │   9, shelf: b                                  │
      │                                                             ├─ row b3 ───────────────────────────────────────┤
      │                                                             │ title 史記  price 99  shelf a                  │
      │                                                             │   3  inserted  title 史記, price 7, shelf b  … │
      │                                                             │ ◀ 6  shelf a (was b), price 99 (was 7)  bob    │
      │                                                             │                                                │
      │                                                             │                                                │
      │                                                             │                                                │
      │                                                             │                                                │
      ├─────────────────────────────────────────────────────────────┴────────────────────────────────────────────────┤
      │ ←→ transaction  ↑↓ row  ? keys  q quit  ⇧ event  [ ] row's changes  g go  / search  f find  x without        │
      └──────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
      """
    ),
  ]

  @Test func `Screens of several sizes show the list, what did it, and the row`() throws {
    let tool = try ToolRunner()
    func event(_ number: Int, _ type: String, _ data: String, _ transaction: String, by actor: String) -> String {
      #"{"specversion":"1.0","id":"\#(number)","source":"test","type":"\#(type)","subject":"shop-\#(number % 2)","#
        + #""time":"2026-01-02T03:04:\#(number + 10)Z","actor":"\#(actor)","transaction":"\#(transaction)","#
        + #""data":{"collection":"book",\#(data)}}"#
    }
    try tool.importLines([
      event(1, "RecordInserted", #""id":"b1","fields":{"title":"Annals","price":50.5,"shelf":"a"}"#, "t1", by: "ann"),
      event(2, "RecordInserted", #""id":"b2","fields":{"title":"Sagas","price":9,"shelf":"b"}"#, "t1", by: "ann"),
      event(3, "RecordInserted", #""id":"b3","fields":{"title":"史記","price":7,"shelf":"b"}"#, "t2", by: "ann"),
      event(4, "RecordUpdated", #""id":"b1","fields":{"price":60.5}"#, "t3", by: "bob"),
      event(5, "SectionRenamed", #""section":"a","title":"Classics""#, "t4", by: "bob"),
      event(6, "RecordUpdated", #""id":"b3","fields":{"price":99,"shelf":"a"}"#, "t5", by: "bob"),
      event(7, "RecordDeleted", #""id":"b2""#, "t6", by: "cleo"),
    ])
    for (keys, size, screen) in Self.screens {
      let answer = tool.run([
        "scrub", tool.log, "--keys", keys, "--size", size, "--section-by", "shelf", "--sort", "-price",
      ])
      var lines = answer.output
      // A screen has exactly its rows.
      #expect(
        lines.split(separator: "\n", omittingEmptySubsequences: false).count - 1 == Int(size.split(separator: "x")[1]))
      while lines.last == "\n" { lines.removeLast() }
      #expect(lines == screen, "\(keys) \(size)\n\(lines)")
    }
  }
}
