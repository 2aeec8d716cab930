import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Shop
import Testing

@testable import shoptool

/// The tool over the shop's own log.
@Suite final class ShopToolTests {
  private let tool = ShopTool.tool
  private let log: String

  init() throws {
    log = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString).annals").path
    let store = try SQLiteEventStore(path: log)
    for number in 1...6 {
      let book = Book(
        id: "b\(number)", title: "Book \(number)", price: Double(number) + 0.5, shelf: number % 2 == 0 ? "even" : "odd")
      try store.execute(.insert(book), on: Bookshop["main"], metadata: ["actor": "ann"])
    }
    try store.execute(.renameShelf("even", to: "Even books"), on: Bookshop["main"])
    try store.execute(
      .reprice(id: "b3", to: 99), on: Bookshop["main"], commandID: "reprice-b3", metadata: ["actor": "bob"])
    try store.execute(.delete(id: "b4"), on: Bookshop["main"], commandID: "delete-b4")
  }

  deinit {
    for end in ["", "-wal", "-shm", ".other", ".other-wal", ".other-shm"] {
      try? FileManager.default.removeItem(atPath: log + end)
    }
  }

  private func lines(_ words: String...) -> [String] {
    let answer = tool.answer(to: [words[0], log] + words.dropFirst())
    return answer.output.split(separator: "\n").map(String.init)
  }

  private func status(_ words: String...) -> Int32 { tool.answer(to: [words[0], log] + words.dropFirst()).status }

  @Test func `show prints the app's rows in the app's order and sections`() {
    #expect(
      lines("show") == [
        "position 9: 5 rows in 2 sections", "Even books  2", "  b6  title: Book 6, price: 6.5, shelf: even",
        "  b2  title: Book 2, price: 2.5, shelf: even", "odd  3", "  b3  title: Book 3, price: 99, shelf: odd",
        "  b5  title: Book 5, price: 5.5, shelf: odd", "  b1  title: Book 1, price: 1.5, shelf: odd",
      ])
  }

  @Test func `rows are chosen, sorted and cut by the names of their fields, and titles stay`() {
    #expect(
      lines("show", "--where", "price > 5 or id = b2", "--sort", "title").dropFirst() == [
        "Even books  2", "  b2  title: Book 2, price: 2.5, shelf: even", "  b6  title: Book 6, price: 6.5, shelf: even",
        "odd  2", "  b3  title: Book 3, price: 99, shelf: odd", "  b5  title: Book 5, price: 5.5, shelf: odd",
      ])
    #expect(lines("show", "--section-by", "shelf", "--limit", "1")[1] == "Even books  1 of 2")
    #expect(
      tool.answer(to: ["show", log, "--where", "prize > 5"]).messages
        == "shoptool: no row has a field prize; did you mean price?\n")
  }

  @Test func `a change names its event, its command and what was there before`() {
    let found = lines("diff", "7..8")
    #expect(found[0].hasPrefix("7 → 8  ") && found[0].hasSuffix("  Repriced b3 to 99.0  bob  by reprice-b3"))
    #expect(found.dropFirst() == ["  odd  >1", "    > b3  Book 3  price: 99 (was 3.5)"])
    #expect(status("diff", "7..8") == 1 && status("diff", "--check") == 0)
  }

  @Test func `why, find and log answer over the app's rows`() {
    #expect(lines("why", "b3.price")[0].hasSuffix("  BookRepriced  Repriced b3 to 99.0  bob  by reprice-b3"))
    #expect(lines("why", "b4")[1].contains("deleted by   9"))
    #expect(lines("find", "row(b3).price > 50")[0].hasPrefix("8  holds  "))
    let trace = lines("log", "--tree", "reprice-b3")
    #expect(
      trace[1].hasPrefix("└─ 8  ") && trace[1].hasSuffix("  BookRepriced  Repriced b3 to 99.0  Bookshop-main 8  bob"))
    #expect(lines("log", "--commands").count == 2)
    #expect(lines("log", "8")[0] == "8  BookRepriced  Repriced b3 to 99.0")
    #expect(lines("log", "type:BookDeleted")[0].contains("BookDeleted  Removed b4"))
    // An event without a sentence.
    #expect(lines("diff", "6..7")[0].hasSuffix("Z  BookShelfRenamed"))
  }

  @Test func `the shop's commands are executed, or refused by the shop`() {
    #expect(status("do", "Bookshop", "main", #"{"reprice":{"id":"b1","to":7}}"#) == 0)
    #expect(lines("diff", "9..")[0].hasSuffix("  Repriced b1 to 7.0"))
    let refused = tool.answer(to: ["do", log, "Bookshop", "main", #"{"delete":{"id":"b4"}}"#])
    #expect(refused.status == 1 && refused.messages == "shoptool: Bookshop refuses it: notThere(\"b4\")\n")
    let examples = tool.answer(to: ["do", log]).output
    for name in ["insert", "reprice", "delete", "renameShelf"] { #expect(examples.contains(#"{"\#(name)":"#)) }
  }

  @Test func `the sample log can be imported, and has what the tool shows`() {
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "shop.jsonl").path
    let copy = log + ".other"
    #expect(tool.answer(to: ["import", copy, sample]).status == 0)
    #expect(tool.answer(to: ["verify", copy]).status == 0)
    let shown = tool.answer(to: ["show", copy]).output
    #expect(shown.hasPrefix("position 9: 5 rows in 2 sections\nEven books  2\n  b6  title: Middlemarch, price: 6.5, "))
    #expect(tool.answer(to: ["log", copy, "--tree", "spring-prices"]).output.contains("Repriced b3 to 99.0"))
  }

  @Test func `what is not for every reader is left out of pages and of redacted exports`() {
    func output(_ words: String...) -> String { tool.answer(to: [words[0], log] + words.dropFirst()).output }
    let page = output("timeline", "-o", "-")
    #expect(page.contains("</html>") && page.contains("Book 3") && !page.contains(#""to":99"#))
    #expect(output("log", "--json").contains(#""price":6.5"#) && output("log").contains("to 99.0"))
    for format in ["--json", "--time=utc"] {
      let redacted = output("log", format, "--redact", "app")
      #expect(redacted.contains("BookRepriced") && !redacted.contains(":6.5") && !redacted.contains("to 99"))
    }
  }

  @Test func `verify says which event a list of the app cannot fold`() throws {
    #expect(status("verify") == 0)
    try SQLiteEventStore(path: log).append(Append([NewEvent(type: "BookBurnt", payload: "{}")], to: "Bookshop-main"))
    let answer = tool.answer(to: ["verify", log])
    #expect(answer.status == 1 && answer.output.hasPrefix("event 10: the list Shelves can't apply this event: "))
  }

  @Test func `a log of other events is named, with status 1`() throws {
    let other = log + ".other"
    try SQLiteEventStore(path: other).append(Append([NewEvent(type: "GameWon", payload: "{}")], to: "games"))
    let answer = tool.answer(to: ["show", other])
    #expect(answer.status == 1 && answer.output == "")
    #expect(answer.messages.contains("has 1 event that no list of shoptool folds: 1 of GameWon"))
  }
}
