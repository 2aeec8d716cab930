import Annals
import AnnalsTesting
import Synchronization
import Testing

/// The law of deciders that say what takes their events back, and the mistakes that it finds.
@Suite(.serialized) struct UndoLawTests {
  private let settings = CheckSettings(examples: 150)
  private let commands = Generator<[AbacusCommand]>.array(
    of: Generator { draw in
      switch try draw(.int(in: 0...3)) {
      case 0: .add(try draw(.int(in: -3...3)))
      case 1: .double
      case 2: .rename(try draw(.element(of: ["", "a", "b"])))
      default: .reset
      }
    }, count: 0...6)

  private func ensure(_ mistake: Abacus.Mistake) throws {
    Abacus.mistake.withLock { $0 = mistake }
    defer { Abacus.mistake.withLock { $0 = .none } }
    try check(commands, settings: settings) { try Abacus.ensureUndoes($0, in: Beads()) }
  }

  @Test func `a decider that says what takes its events back keeps the law`() throws {
    let report = try check(commands, settings: settings) { try Abacus.ensureUndoes($0, in: Beads()) }
    #expect(report.examples == 150)
  }

  @Test func `a reversal that takes back too much or too little is found with the shortest commands`() throws {
    let much = try #require(throws: PropertyFailure.self) { try ensure(.takesBackTooMuch) }
    #expect("\(much)".contains("after the undo of command 1 (.add(1)): expected the state"))
    let little = try #require(throws: PropertyFailure.self) { try ensure(.forgetsTheOldName) }
    #expect("\(little)".contains("the redo of command 1 (.rename(\"a\")) fails: the reversal of "))
    #expect("\(little)".contains(" produces no events, so the redo has no effect"))
  }

  @Test func `a reversal that is refused is found`() throws {
    let failure = try #require(throws: PropertyFailure.self) { try ensure(.refusesItsReversal) }
    #expect("\(failure)".contains("cannot be undone now"))
  }

  @Test func `a redo that leads elsewhere is found`() throws {
    let failure = try #require(throws: PropertyFailure.self) { try ensure(.redoesOtherwise) }
    #expect("\(failure)".contains("after the redo of "))
  }

  @Test func `commands show nothing if none can be taken back`() throws {
    let failure = try #require(throws: PropertyFailure.self) { try ensure(.takesNothingBack) }
    #expect(failure.kind == .vacuous)
  }
}

private enum AbacusCommand: Sendable { case add(Int), double, rename(String), reset, clear(Int, String) }

private enum AbacusEvent: Event {
  case added(amount: Int)
  case renamed(to: String)
  case cleared(to: Int, name: String)
}

/// A count with a name, and the mistakes that a reversal can have.
private struct Abacus: UndoableDecider, Equatable {
  enum Mistake { case none, takesBackTooMuch, forgetsTheOldName, refusesItsReversal, redoesOtherwise, takesNothingBack }
  enum Refusal: Error { case isZero, isNot }

  static let mistake = Mutex(Mistake.none)

  var (count, name) = (0, "")

  func decide(_ command: AbacusCommand) throws(Refusal) -> [AbacusEvent] {
    switch command {
    case .add(let amount):
      if amount < 0, Self.mistake.withLock({ $0 }) == .refusesItsReversal { throw .isNot }
      return amount == 0 ? [] : [.added(amount: amount)]
    case .double:
      if count == 0 { throw .isZero }
      return [.added(amount: count)]
    case .rename(let name): return name == self.name ? [] : [.renamed(to: name)]
    case .reset: return self == Abacus() ? [] : [.cleared(to: 0, name: "")]
    case .clear(let count, let name): return [.cleared(to: count, name: name)]
    }
  }

  mutating func evolve(_ event: AbacusEvent) {
    switch event {
    case .added(let amount): count += amount
    case .renamed(let name): self.name = name
    case .cleared(let count, let name): (self.count, self.name) = (count, name)
    }
  }

  func undoing(_ events: [AbacusEvent]) -> [AbacusCommand]? {
    let mistake = Self.mistake.withLock { $0 }
    if mistake == .takesNothingBack { return nil }
    return events.reversed().map { event in
      switch event {
      case .added(let amount):
        switch mistake {
        case .redoesOtherwise where amount < 0: .add(-amount + 1)
        case .takesBackTooMuch where amount > 0: .add(-amount - 1)
        default: .add(-amount)
        }
      case .renamed: .rename(mistake == .forgetsTheOldName ? "" : name)
      case .cleared: .clear(count, name)
      }
    }
  }
}

private struct Bead: Row {
  var id: String
  var count: Int
}

private struct Beads: Projection {
  func project(_ event: AbacusEvent, into rows: inout Rows<Bead>) {
    switch event {
    case .added(let amount):
      if rows["all"] == nil { rows.insert(Bead(id: "all", count: 0)) }
      rows["all"]?.count += amount
      if rows["all"]?.count == 0 { rows["all"] = nil }
    case .cleared(let count, _):
      rows["all"] = nil
      if count != 0 { rows.insert(Bead(id: "all", count: count)) }
    case .renamed: break
    }
  }
}
