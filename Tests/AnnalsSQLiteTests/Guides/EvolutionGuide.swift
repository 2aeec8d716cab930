import Annals
import AnnalsLog
import AnnalsTesting
import Foundation

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

  enum FineEvent: Event, Equatable {
    case charged(member: String, cents: Int, currency: String, at: Date, clerk: String?)

    static let schema = 2
    static let upcasters: [Upcaster] = [
      .changed("FineCharged", from: 1, to: 2, as: OldFine.self) { old, event in
        // The library in Zurich has its own stream.
        Fine(
          member: old.member, cents: old.cents, currency: event.stream == "Desk-zurich" ? "CHF" : "EUR",
          at: event.time, clerk: event.metadata.author)
      }
    ]

    struct OldFine: Decodable {
      var member: String
      var cents: Int
    }

    struct Fine: Encodable {
      var member: String
      var cents: Int
      var currency: String
      var at: Date
      var clerk: String?
    }
  }

  static func checkOldFine() throws {
    var old = NewEvent(type: "FineCharged", schema: 1, payload: #"{"member":"m1","cents":50}"#)
    old.time = Date(timeIntervalSince1970: 0)
    old.metadata.author = "ann"
    try FineEvent.ensureReads(
      [old], as: [.charged(member: "m1", cents: 50, currency: "CHF", at: Date(timeIntervalSince1970: 0), clerk: "ann")],
      stream: "Desk-zurich")
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
