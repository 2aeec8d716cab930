import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Shop
import Testing

/// The tool over the shop's own log, by public names alone.
@Suite final class ShopToolTests {
  private let tool = ReplayTool(
    ReplayList(Shelves(), request: ListRequest(sort: [.descending(\.price)], section: .by(\.shelf))),
    name: "shoptool")
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
        "position 9: 5 rows in 2 sections", "Even books  2", "  b6  price: 6.5, shelf: even, title: Book 6",
        "  b2  price: 2.5, shelf: even, title: Book 2", "odd  3", "  b3  price: 99, shelf: odd, title: Book 3",
        "  b5  price: 5.5, shelf: odd, title: Book 5", "  b1  price: 1.5, shelf: odd, title: Book 1",
      ])
  }

  @Test func `rows are chosen, sorted and cut by the names of their fields, and titles stay`() {
    #expect(
      lines("show", "--where", "price > 5 or id = b2", "--sort", "title").dropFirst() == [
        "Even books  2", "  b2  price: 2.5, shelf: even, title: Book 2", "  b6  price: 6.5, shelf: even, title: Book 6",
        "odd  2", "  b3  price: 99, shelf: odd, title: Book 3", "  b5  price: 5.5, shelf: odd, title: Book 5",
      ])
    #expect(lines("show", "--section-by", "shelf", "--limit", "1")[1] == "Even books  1 of 2")
    #expect(
      tool.answer(to: ["show", log, "--where", "prize > 5"]).messages
        == "shoptool: no row has a field prize; did you mean price?\n")
  }

  @Test func `a change names its event, its command and what was there before`() {
    let found = lines("diff", "7..8")
    #expect(found[0].hasPrefix("7 → 8  ") && found[0].hasSuffix("  BookRepriced  bob  by reprice-b3"))
    #expect(found.dropFirst() == ["  > [1, 1] → [1, 0]  b3  Book 3  price: 3.5 → 99"])
    #expect(status("diff", "7..8") == 1 && status("diff", "--check") == 0)
  }

  @Test func `why, find and log answer over the app's rows`() {
    #expect(lines("why", "b3.price")[0].hasSuffix("  BookRepriced  bob  by reprice-b3"))
    #expect(lines("why", "b4")[1].contains("deleted by  9"))
    #expect(lines("find", "row(b3).price > 50")[0].hasPrefix("8  holds  "))
    let trace = lines("log", "--tree", "reprice-b3")
    #expect(trace[1].hasPrefix("└─ 8  ") && trace[1].hasSuffix("  BookRepriced  Bookshop-main 8  bob"))
    #expect(lines("log", "--commands").count == 2)
    #expect(lines("log", "8")[0] == "8  BookRepriced")
  }

  @Test func `what is not for every reader is left out of pages and of redacted exports`() {
    let careful = ReplayTool(
      ReplayList(Shelves()), ReplayRedaction(fields: ["title"], types: ["BookRepriced"]), name: "shoptool")
    func output(_ words: String...) -> String { careful.answer(to: [words[0], log] + words.dropFirst()).output }
    let page = output("timeline", "-o", "-")
    #expect(page.contains("</html>") && !page.contains("Book 3") && !page.contains(#""to":99"#))
    #expect(
      output("log", "--json").contains("Book 3") && !output("log", "--json", "--redact", "app").contains("Book 3"))
    #expect(!output("log", "--json", "--redact", "app").contains(#""to":99"#))
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
