import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// A loan of a library: an old event said that several came back at once.
private enum LoanEvent: Event {
  case lent(book: String)
  case returned(book: String)

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .unchanged("LoanLent", from: 1, to: 2),
    .split("LoanReturnedAll", from: 1, to: 2, into: ["LoanReturned"]) { payload in
      try payload.decoded(as: All.self).books.map { Upcaster.Output("LoanReturned", ["book": .string($0)]) }
    },
  ]

  struct All: Codable { var books: [String] }
}

private struct Loan: Row { var id: String }

private struct Loans: Projection {
  struct NotLent: Error { let book: String }

  func project(_ event: LoanEvent, into rows: inout Rows<Loan>) throws {
    switch event {
    case .lent(let book): rows.insert(Loan(id: book))
    case .returned(let book):
      guard rows[book] != nil else { throw NotLent(book: book) }
      rows[book] = nil
    }
  }
}

/// Events that a program brings up to date as several, under `--without`.
@Suite struct SplitEventTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ReplayTool(ReplayList(Loans()), name: "library")
    let store = try SQLiteEventStore(path: tool.log)
    func append(_ type: String, _ payload: String) throws {
      try store.append(Append([NewEvent(type: type, payload: payload)], to: "loans"))
    }
    for book in ["a", "b", "c"] { try append("LoanLent", #"{"book":"\#(book)"}"#) }
    try append("LoanReturnedAll", #"{"books":["a","b"]}"#)
    try append("LoanLent", #"{"book":"d"}"#)
    store.close()
  }

  private func ids(_ words: String...) -> [String] {
    tool.run(["show", tool.log] + words).lines.filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
  }

  @Test func `An event whose second part is refused leaves nothing of its first part behind`() {
    #expect(ids() == ["c", "d"])
    // Without b's loan the second part of event 4 is refused, and a is still lent.
    #expect(ids("--without", "2") == ["a", "c", "d"])
    // Its first part is refused without a's, and then the second is not tried.
    #expect(ids("--without", "1") == ["b", "c", "d"])
    #expect(ids("--without", "1,2") == ["c", "d"])
    #expect(ids("--without", "4") == ["a", "b", "c", "d"])
  }

  @Test func `It counts once, whichever part was refused`() {
    for without in ["1", "2", "1,2"] {
      let talk = tool.run("show", tool.log, "--without", without).talk
      #expect(talk.contains("1 event could not apply"), "\(talk)")
      #expect(talk.contains("4 LoanReturnedAll: NotLent(book: "), "\(talk)")
    }
    let replay = tool.run("diff", "--each", tool.log, "--without", "2", "--json").lines
    #expect(replay.filter { $0.contains(#""position":4,"reason""#) }.count == 1, "\(replay)")
  }

  @Test func `Without --without, the list is as it ever was, step by step`() {
    #expect(ids("4", "--without", "5") == ["c"])
    #expect(tool.run("diff", "--each", tool.log, "--check").status == 0)
    #expect(tool.run("diff", "--each", tool.log, "--without", "2", "--check").status == 0)
  }
}
