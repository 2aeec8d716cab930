import Annals
import AnnalsLog
import AnnalsTesting
import Testing

private enum LoanEvent: Event, Equatable {
  case lent(book: String, reader: String)
  case returned(book: String, reader: String)
  case closed

  var tags: Set<EventTag> {
    switch self {
    case .lent(let book, let reader): ["book:\(book)", "reader:\(reader)"]
    // The mistake: the tags lack the reader who returned it.
    case .returned(let book, _): ["book:\(book)"]
    case .closed: []
    }
  }
}

/// A reader can have two books, and a book one reader.
private struct Loans: BoundaryDecider {
  enum Command: Equatable {
    case lend(book: String, reader: String)
    case giveBack(book: String)
    case count
  }

  enum Refusal: Error, Equatable { case lent, tooMany, notLent }

  var readers: [String: String] = [:]

  static func boundary(for command: Command) -> EventQuery {
    switch command {
    case .lend(let book, let reader): .tagged("book:\(book)") || .tagged("reader:\(reader)")
    case .giveBack(let book): .tagged("book:\(book)")
    case .count: EventQuery([.init(streams: ["elsewhere"], types: ["LoanLent"])])
    }
  }

  func decide(_ command: Command) throws(Refusal) -> [LoanEvent] {
    switch command {
    case .lend(let book, let reader):
      if readers[book] != nil { throw .lent }
      if readers.values.count(where: { $0 == reader }) > 1 { throw .tooMany }
      return [.lent(book: book, reader: reader)]
    case .giveBack(let book):
      guard let reader = readers[book] else { throw .notLent }
      return [.returned(book: book, reader: reader)]
    case .count: return []
    }
  }

  mutating func evolve(_ event: LoanEvent) {
    switch event {
    case .lent(let book, let reader): readers[book] = reader
    case .returned(let book, _): readers[book] = nil
    case .closed: readers = [:]
    }
  }
}

@Suite struct BoundaryScenarioTests {
  private func sentence(_ body: () throws -> Void) -> String {
    (#expect(throws: Unmet.self) { try body() })?.description ?? ""
  }

  @Test func `a scenario over a boundary holds as one over a stream does`() throws {
    try Loans.given(.lent(book: "b", reader: "r")).when(.lend(book: "b", reader: "s")).thenRefused(Loans.Refusal.lent)
    try Loans.given(.lent(book: "b", reader: "r")).when(.lend(book: "c", reader: "r")).then(
      .lent(book: "c", reader: "r"))
    try Loans.given(.lent(book: "b", reader: "r")).when(.giveBack(book: "b")).then(.returned(book: "b", reader: "r"))
    try Loans.given().when(.giveBack(book: "b")).thenRefused()
    // If a boundary names streams, the event is taken to be in one of them.
    try Loans.given(.lent(book: "b", reader: "r")).when(.count).then()
  }

  @Test func `an event outside of the boundary fails the scenario, whatever it demands`() {
    let given = Loans.given(.lent(book: "b", reader: "r"), .lent(book: "c", reader: "r"))
    let expected = """
      event 2 of the history, .lent(book: "c", reader: "r"), is outside the boundary of .giveBack(book: "b"), so \
      no store passes it to the decider: it is stored as LoanLent with the tags ["book:c", "reader:r"]; widen the \
      boundary, give the event the required tags, or remove the event from the history
      """
    let decision = given.when(.giveBack(book: "b"))
    #expect(sentence { try decision.then(.returned(book: "b", reader: "r")) }.contains(expected))
    #expect(sentence { try decision.thenRefused() }.contains(expected))
    #expect(sentence { try decision.thenRefused(Loans.Refusal.notLent) }.contains(expected))
    #expect(sentence { try Loans.given(.closed).when(.giveBack(book: "b")).thenRefused() }.contains("with no tags"))
    #expect(
      sentence { try Loans.given(.returned(book: "b", reader: "r")).when(.count).then() }.contains("LoanReturned"))
  }

  @Test func `a decider that needs what lies outside of the boundary breaks the law of boundaries`() throws {
    let lent: [LoanEvent] = [.lent(book: "b", reader: "r"), .lent(book: "c", reader: "r")]
    try Loans.ensureBoundaryHolds(.lend(book: "d", reader: "r"), after: lent)
    try Loans.ensureBoundaryHolds(.lend(book: "d", reader: "s"), after: lent)
    // The return of another book has no tag of its reader. So the reader is refused a book that would be the second.
    let broken = sentence {
      try Loans.ensureBoundaryHolds(
        .lend(book: "d", reader: "r"), after: lent + [.returned(book: "c", reader: "r")])
    }
    let end =
      "], but with only the 2 events inside the boundary, the decision is the refusal tooMany; widen the boundary, or "
      + "give the events the required tags"
    #expect(broken.hasPrefix("with all 3 events, the decision is [") && broken.hasSuffix(end))
  }

  @Test func `generated histories find the mistake`() throws {
    let books = Generator<String>.element(of: ["a", "b", "c"])
    let readers = Generator<String>.element(of: ["r", "s"])
    let events = Generator<LoanEvent>.oneOf(
      zip(books, readers).map { .lent(book: $0, reader: $1) },
      zip(books, readers).map { .returned(book: $0, reader: $1) })
    let failure = #expect(throws: PropertyFailure.self) {
      try check(.array(of: events), zip(books, readers), settings: CheckSettings(examples: 5_000)) { history, wish in
        try Loans.ensureBoundaryHolds(.lend(book: wish.0, reader: wish.1), after: history)
      }
    }
    #expect("\(failure as Any)".contains("inside the boundary, the decision is the refusal tooMany"))
  }
}
