import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Logs that older and newer programs wrote, and the guide about them.
@Suite struct EvolutionTests {
  private typealias Guide = EvolutionGuide
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A copy of a log in format 1, with the first events of the guide's loans: eleven in five transactions.
  private func firstLog() throws -> String {
    let fixture = fixtures.appending(path: "first-events.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path("log")))
    return folder.path("log")
  }

  private func list<P: Projection>(
    _ store: SQLiteEventStore, _ projection: P, cacheName: String? = nil
  ) throws -> FetchedResultsController<Guide.Loan> where P.Row == Guide.Loan {
    let controller = FetchedResultsController(
      store: store, projection: projection, request: ListRequest(section: .by(\.member)), cacheName: cacheName)
    try controller.performFetch()
    return controller
  }

  private func text(_ results: Results<Guide.Loan>) -> [String] {
    results.sections.map { section in
      "\(section.title): " + section.map { "\($0.id) \($0.term)" }.joined(separator: ", ")
    }
  }

  /// The events of that log as today's type would record them, by position.
  private static let today: [[Guide.LoanEvent]] = [
    [.joined(id: "m1", name: "Ada", city: nil)], [.joined(id: "m2", name: "Émile", city: nil)],
    [.lent(book: "b1", member: "m1", term: "2 weeks")], [.lent(book: "b2", member: "m1", term: "4 weeks")], [],
    [.lent(book: "b3", member: "m2", term: "1 weeks")], [], [.lent(book: "b4", member: "m2", term: "3 weeks")],
    [.returned(book: "b1", member: "m1"), .returned(book: "b2", member: "m1")],
    [.lent(book: "b1", member: "m2", term: "2 weeks")], [],
  ]

  @Test func `a log of the first format with the first events lists as today's, at every position`() throws {
    let path = try firstLog()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      #expect(try store.verify().isSound && store.verify().events == 11)
      #expect(try store.events(.all, after: 0, through: nil, limit: 99).allSatisfy { $0.schema == 1 })
      let controller = try list(store, Guide.Loans())
      #expect(text(controller.results) == ["Émile: b1 2 weeks, b3 1 weeks, b4 3 weeks"])
      let table = MirrorDelegate(controller.results)
      controller.delegate = table
      for position in [0, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 4, 9, 5] {
        try controller.seek(to: Position(position))
        let events = Self.today.prefix(position).flatMap { $0 }
        let rows = try Guide.Loans().rows(after: events, in: controller.request)
        #expect(Array(controller.fetchedObjects) == rows, "at \(position)")
        #expect(table.violations == [])
      }
      #expect(text(controller.results) == ["Ada: b1 2 weeks, b2 4 weeks"])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a log of the first format with the first events goes on with today's, and keeps what was stored`() throws
  {
    let path = try firstLog()
    let stored: [StoredEvent]
    do {
      let store = try SQLiteEventStore(path: path)
      stored = try store.events(.all, after: 0, through: nil, limit: 99)
      #expect(throws: Guide.Desk.Rejection.isLent) {
        try store.execute(Guide.Loan(id: "b1", member: "m1", term: "1 day"), on: Guide.Desk["main"])
      }
      let controller = try list(store, Guide.Loans(), cacheName: "loans")
      try store.execute(Guide.Loan(id: "b2", member: "m1", term: "1 day"), on: Guide.Desk["main"])
      #expect(text(controller.results) == ["Ada: b2 1 day", "Émile: b1 2 weeks, b3 1 weeks, b4 3 weeks"])
    }
    let store = try SQLiteEventStore(path: path)
    let all = try store.events(.all, after: 0, through: nil, limit: 99)
    #expect(Array(all.prefix(11)) == stored)
    #expect(all.last?.schema == 3 && all.last?.version == 12)
    #expect(try store.verify().isSound)
    #expect(
      try text(list(store, Guide.Loans(), cacheName: "loans").results)
        == ["Ada: b2 1 day", "Émile: b1 2 weeks, b3 1 weeks, b4 3 weeks"])
  }

  @Test func `a log that a newer program wrote to is shown as the policy says, and not decided on`() throws {
    let path = try firstLog()
    let store = try SQLiteEventStore(path: path)
    try store.append(
      Append(
        [
          NewEvent(
            type: "LoanLent", schema: 4,
            payload: #"{"book":"b9","member":"m1","term":"1 day","from":"the annex"}"#),
          NewEvent(type: "LoanExtended", schema: 4, payload: #"{"book":"b9"}"#),
        ], to: "Desk-main"))
    let error = #expect(throws: ProjectionError.self) { try list(store, Guide.Loans()) }
    #expect(error?.code == .newerEvent && error?.event.position == 12)
    #expect(try text(list(store, Guide.LenientLoans()).results).first == "Ada: b9 1 day")
    #expect(try list(store, Guide.LenientLoans()).position == 13)
    let refusal = #expect(throws: EventCodingError.self) {
      try store.execute(Guide.Loan(id: "b9", member: "m1", term: "1 day"), on: Guide.Desk["main"])
    }
    #expect(refusal?.code == .newerSchema && refusal?.event?.position == 12)
    #expect(try store.head() == 13)
  }

  @Test func `a long log of old events lists as today's, and stops where a step fails`() throws {
    let store = try SQLiteEventStore(path: folder.path("long"))
    // Long enough that pages are read ahead of the fold.
    let count = 4_000
    for start in stride(from: 0, to: count, by: 1_000) {
      let events = (start..<start + 1_000).flatMap { number -> [NewEvent] in
        let lent = NewEvent(
          type: "LoanLent", schema: 1, payload: #"{"book":"b\#(number % 50)","member":"m1","weeks":\#(number)}"#)
        let back = NewEvent(
          type: "LoanReturnedAll", schema: 1, payload: #"{"books":["b\#(number % 10)","b0"],"member":"m1"}"#)
        return number % 10 == 0
          ? [lent, NewEvent(type: "LoanShown", payload: "{}")] : number % 7 == 0 ? [lent, back] : [lent]
      }
      try store.append(Append(events, to: "Desk-main"))
    }
    let head = try store.head()
    let today = try store.events(.all, after: 0, through: nil, limit: 9_999).flatMap { stored -> [Guide.LoanEvent] in
      let payload = try JSONValue(parsing: stored.payload ?? "")
      switch stored.type {
      case "LoanLent":
        return [
          .lent(book: payload["book"]?.string ?? "", member: "m1", term: "\(payload["weeks"]?.int ?? 0) weeks")
        ]
      case "LoanReturnedAll":
        return (payload["books"]?.array ?? []).map { .returned(book: $0.string ?? "", member: "m1") }
      default: return []
      }
    }
    let controller = try list(store, Guide.Loans())
    #expect(try Array(controller.fetchedObjects) == Guide.Loans().rows(after: today, in: controller.request))
    #expect(controller.fetchedObjects.count > 30)
    try store.append(Append([NewEvent(type: "LoanLent", payload: #"{"book":"b1"}"#)], to: "Desk-main"))
    let failing = FetchedResultsController(
      store: store, projection: Guide.Loans(), request: ListRequest(section: .by(\.member)))
    let error = #expect(throws: ProjectionError.self) { try failing.performFetch() }
    #expect(error?.code == .notUpcast && error?.event.version == head.rawValue + 1)
    #expect(error?.message.contains("(schema version 1) to LoanLent (schema version 2) failed: NoTerm()") == true)
    #expect(failing.position == head)
  }

  @Test func `a saved list of the same projection with other steps is not used`() throws {
    struct OtherLoans: Projection {
      static let name = "Loans"
      func project(_ event: OtherLoanEvent, into rows: inout Rows<Guide.Loan>) {
        if case .lent(let book, let member, let term) = event {
          rows.insert(Guide.Loan(id: book, member: member, term: term))
        }
      }
    }
    struct SameLoans: Projection {
      static let name = "Loans"
      func project(_ event: Guide.LoanEvent, into rows: inout Rows<Guide.Loan>) {
        Guide.Loans().project(event, into: &rows)
      }
    }
    let path = try firstLog()
    let store = try SQLiteEventStore(path: path)
    try list(store, SameLoans(), cacheName: "loans").saveCache()
    #expect(try list(store, SameLoans(), cacheName: "loans").cacheReport.restored == 11)
    // Types of one name aren't used on one store.
    let next = try SQLiteEventStore(path: path)
    #expect(try list(next, OtherLoans(), cacheName: "loans").cacheReport.restored == nil)
  }

  @Test func `the guide's first events read as today's, and every kept line as it should`() throws {
    try Guide.checkFirstEvents(CheckSettings(examples: 300, seed: 1, environment: [:]))
    try Guide.checkOldFine()
    let kept = try Guide.checkKeptEvents()
    #expect(
      kept.prefix(6).map(\.events) == [
        [.joined(id: "m1", name: "Ada", city: nil)], [.lent(book: "b1", member: "m1", term: "2 weeks")],
        [.returned(book: "b1", member: "m1"), .returned(book: "b2", member: "m1")], [],
        [.lent(book: "b1", member: "m1", term: "2 weeks")], [.returned(book: "b1", member: "m1")],
      ])
    #expect(kept.count == 9 && kept.suffix(3).allSatisfy { $0.stored.schema == 3 })
  }

  @Test func `each block of the guide is code that is compiled`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let code = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "EvolutionGuide.swift"), encoding: .utf8)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let guide = try String(contentsOf: root.appending(path: "Docs/Evolution.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count >= 5)
    for block in blocks {
      // A line with an ellipsis leaves code out.
      for part in block.components(separatedBy: "…\n") { #expect(words(code).contains(words(part)), "\(block)") }
    }
  }
}

/// Loans with other steps, but the same name and schema.
private enum OtherLoanEvent: Event {
  case lent(book: String, member: String, term: String)

  static let typePrefix = "Loan"
  static let schema = 3
  static let upcasters: [Upcaster] = [
    .changed("LoanLent", from: 1, to: 3) { $0 = ["book": $0["book"] ?? "", "member": "", "term": ""] },
    .dropped("LoanRegistered"), .dropped("LoanReturnedAll"), .dropped("LoanShown"),
  ]
}
