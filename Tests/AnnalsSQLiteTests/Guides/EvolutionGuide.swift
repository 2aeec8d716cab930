import Annals
import AnnalsTesting

/// The code of `Docs/Evolution.md`; EvolutionTests compares the two.
enum EvolutionGuide {
  enum LoanEvent: Event, Equatable {
    case joined(id: String, name: String, city: String?)
    case lent(book: String, member: String, term: String)
    case returned(book: String, member: String)

    static let schema = 3
    static let formerNames = ["LoanRegistered": "LoanJoined"]
    static let upcasters: [Upcaster] = [
      .changed("LoanLent", from: 1, to: 2) { loan in
        guard let weeks = loan["weeks"]?.int else { throw NoTerm() }
        loan["weeks"] = nil
        loan["term"] = "\(weeks) weeks"
      },
      .unchanged("LoanLent", from: 2, to: 3),
      .unchanged("LoanReturnedAll", from: 1, to: 2),
      .split("LoanReturnedAll", from: 2, to: 3, into: ["LoanReturned"]) { payload in
        let old = try payload.decoded(as: ReturnedAll.self)
        return old.books.map { Upcaster.Output("LoanReturned", ["book": .string($0), "member": .string(old.member)]) }
      },
      .dropped("LoanShown"),
    ]

    struct NoTerm: Error {}

    /// The payload of LoanReturnedAll, as it was recorded.
    struct ReturnedAll: Codable {
      var books: [String]
      var member: String
    }
  }

  struct Loan: Row {
    let id: String
    var member: String
    var term: String
  }

  struct Loans: Projection {
    func project(_ event: LoanEvent, into rows: inout Rows<Loan>) {
      switch event {
      case .joined(let id, let name, _): rows.renameSection(id, of: \.member, to: name)
      case .lent(let book, let member, let term): rows.insert(Loan(id: book, member: member, term: term))
      case .returned(let book, _): rows[book] = nil
      }
    }
  }

  struct Desk: Decider {
    enum Rejection: Error, Equatable {
      case isLent
    }

    private var lent: Set<String> = []

    func decide(_ loan: Loan) throws(Rejection) -> [LoanEvent] {
      if lent.contains(loan.id) { throw .isLent }
      return [.lent(book: loan.id, member: loan.member, term: loan.term)]
    }

    mutating func evolve(_ event: LoanEvent) {
      switch event {
      case .joined: break
      case .lent(let book, _, _): lent.insert(book)
      case .returned(let book, _): lent.remove(book)
      }
    }
  }

  /// A list that skips unknown events.
  struct LenientLoans: Projection {
    static let unknownEvents = UnknownEventPolicy.skip
    static let newerEvents = NewerEventPolicy.read

    func project(_ event: LoanEvent, into rows: inout Rows<Loan>) { Loans().project(event, into: &rows) }
  }

  /// The events as the first version of the program recorded them.
  enum FirstLoanEvent: Event {
    case registered(id: String, name: String)
    case lent(book: String, member: String, weeks: Int)
    case returnedAll(LoanEvent.ReturnedAll)
    case shown(book: String)

    static let typePrefix = "Loan"
  }

  static func checkFirstEvents(_ settings: CheckSettings) throws {
    let old = Generator<FirstLoanEvent>.oneOf(
      zip(.string(), .string()).map { .registered(id: $0, name: $1) },
      zip(.string(), .string(), .int(in: 1...9)).map { .lent(book: $0, member: $1, weeks: $2) },
      zip(.array(of: .string()), .string()).map { .returnedAll(.init(books: $0, member: $1)) },
      Generator<String>.string().map { .shown(book: $0) })
    try LoanEvent.checkReads(old, settings: settings) { event in
      switch event {
      case .registered(let id, let name): [.joined(id: id, name: name, city: nil)]
      case .lent(let book, let member, let weeks): [.lent(book: book, member: member, term: "\(weeks) weeks")]
      case .returnedAll(let all): all.books.map { .returned(book: $0, member: all.member) }
      case .shown: []
      }
    }
  }

  static func checkKeptEvents() throws -> [GoldenEvent<LoanEvent>] {
    try LoanEvent.ensureKept(
      [
        .joined(id: "m1", name: "Ada", city: "Turin"), .lent(book: "b1", member: "m1", term: "2 weeks"),
        .returned(book: "b1", member: "m1"),
      ], in: "Fixtures/LoanEvent.jsonl")
  }
}
