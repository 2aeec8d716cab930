import Annals
import AnnalsTesting
import Foundation
import Testing

/// Scenarios of projections, and lists that a file keeps.
@Suite struct ProjectionScenarioTests {
  private func sentence(_ body: () throws -> Void) -> String {
    (#expect(throws: Unmet.self) { try body() })?.description ?? ""
  }

  @Test func `the rows after a history are compared one by one`() throws {
    let scenario = Ledger().given(.paid(by: "ann", amount: 3), .paid(by: "bob", amount: 2), .paid(by: "ann", amount: 1))
    try scenario.then(Account(id: "ann", sum: 4, count: 2), Account(id: "bob", sum: 2, count: 1))
    try scenario.then(
      Account(id: "bob", sum: 2, count: 1), Account(id: "ann", sum: 4, count: 2),
      in: ListRequest(sort: [.ascending(\.sum)]))
    try Ledger().given().then()
    #expect(
      sentence { try scenario.then(Account(id: "ann", sum: 4, count: 1)) } == """
        row 1: expected Account(id: "ann", sum: 4.0, count: 1), found Account(id: "ann", sum: 4.0, count: 2); \
        the difference is in count: expected 1, found 2
          row 2: expected no row, found Account(id: "bob", sum: 2.0, count: 1)
        """)
    // A row with NaN is the same as its copy.
    try Ledger().given(.paid(by: "ann", amount: .nan)).then(Account(id: "ann", sum: .nan, count: 1))
  }

  @Test func `a list is written to its file once, and compared later`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "lists-\(UUID())/Ledger.txt")
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let history: [LedgerEvent] = [.paid(by: "ann", amount: 3), .paid(by: "bob", amount: 2)]
    let request = ListRequest<Account>(sort: [.descending(\.sum)])
    #expect(
      sentence { try Ledger().ensureLists(history, keptIn: file.path, in: request) }.hasPrefix(
        "the list was written to "))
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        {"count":1,"id":"ann","sum":3}
        {"count":1,"id":"bob","sum":2}

        """)
    try Ledger().ensureLists(history, keptIn: file.path, in: request)
    let other = sentence { try Ledger().ensureLists(history.reversed() + history, keptIn: file.path, in: request) }
    #expect(
      other.hasPrefix(
        "row 1 of the list: expected {\"count\":1,\"id\":\"ann\",\"sum\":3}, found {\"count\":2,"), "\(other)")
  }
}

private enum LedgerEvent: Event {
  case paid(by: String, amount: Double)
}

private struct Account: Row {
  let id: String
  var (sum, count) = (0.0, 0)

  init(id: String, sum: Double = 0, count: Int = 0) { (self.id, self.sum, self.count) = (id, sum, count) }
}

private struct Ledger: Projection {
  func project(_ event: LedgerEvent, into rows: inout Rows<Account>) {
    guard case .paid(let name, let amount) = event else { return }
    if rows[name] == nil { rows.insert(Account(id: name)) }
    rows.update(name) { ($0.sum, $0.count) = ($0.sum + amount, $0.count + 1) }
  }
}
