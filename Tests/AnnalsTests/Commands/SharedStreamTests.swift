import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization
import Testing

/// A decider of streams and a decider of boundaries that write to the same streams.
@Suite struct SharedStreamTests {
  private enum Step: Sendable {
    case card(Card.Command)
    case assign(Assigning.Command)
    /// Both in one transaction, the boundary's first or last.
    case both(Card.Command, Assigning.Command, assignsFirst: Bool)
  }

  private static var step: Generator<Step> {
    let card = zip(.element(of: Card.Change.allCases), .element(of: ["a", "b", "c"])).map {
      Card.Command(change: $0, card: $1)
    }
    let assign = zip(.element(of: ["a", "b", "c"]), .element(of: ["ann", "ben"])).map {
      Assigning.Command(card: $0, person: $1)
    }
    return .frequency(
      (3, card.map { .card($0) }), (3, assign.map { .assign($0) }),
      (2, zip(zip(card, assign), .element(of: [true, false])).map { .both($0.0, $0.1, assignsFirst: $1) }))
  }

  @Test func `both deciders decide on what either of them decided, as plain code does`() throws {
    try check(.array(of: Self.step, count: 1...40), .element(of: [0, 100]), settings: CheckSettings(examples: 200)) {
      steps, budget in
      let store = MemoryEventStore(environment: StoreEnvironment(stateBudget: budget))
      var model = PlainCards()
      for step in steps {
        var after = model
        let expected: Bool
        switch step {
        case .card(let command): expected = after.change(command)
        case .assign(let command): expected = after.assign(command)
        case .both(let command, let assign, true): expected = after.assign(assign) && after.change(command)
        case .both(let command, let assign, false): expected = after.change(command) && after.assign(assign)
        }
        let result = Result { try Self.run(step, in: store) }
        try ensure(((try? result.get()) != nil) == expected, "\(step): \(result), and plain code says \(expected)")
        if expected { model = after }
      }
      for id in ["a", "b", "c"] {
        // Each card's events are in its stream, without a gap.
        let events = store.events(.stream(Card.stream(id)), after: 0, through: nil, limit: .max)
        try ensureEqual(events.map(\.version), events.indices.map { $0 + 1 })
        try ensure(events.allSatisfy { $0.tags.contains(EventTag("card:\(id)")) })
        let state = try store.state(of: Card[id])
        try ensureEqual(state.person, model.cards[id]?.person)
        try ensureEqual(state.isOpen, model.cards[id]?.isOpen ?? false)
      }
      try ensureEqual(store.version(of: "Assigning"), 0)
    }
  }

  private static func run(_ step: Step, in store: MemoryEventStore) throws {
    switch step {
    case .card(let command): try store.execute(command, on: Card[command.card])
    case .assign(let command): try store.execute(command, on: .boundary(Assigning.self))
    case .both(let command, let assign, let assignsFirst):
      try store.transaction { transaction in
        if assignsFirst { try transaction.execute(assign, on: .boundary(Assigning.self)) }
        try transaction.execute(command, on: Card[command.card])
        if !assignsFirst { try transaction.execute(assign, on: .boundary(Assigning.self)) }
      }
    }
  }

  @Test func `a stream's command is decided again if a boundary's decider wrote to the stream meanwhile`() throws {
    let box = Mutex<MemoryEventStore?>(nil)
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard moment == .willAppend(attempt: 1), let store = box.withLock({ $0.take() }) else { return }
        try store.execute(.init(card: "a", person: "ann"), on: .boundary(Assigning.self))
      }))
    try store.execute(.init(change: .add, card: "a"), on: Card["a"])
    box.withLock { $0 = store }
    // A card that has a person is not closed.
    #expect(throws: Declined.self) { try store.execute(.init(change: .close, card: "a"), on: Card["a"]) }
    #expect(store.events(.all, after: 0, through: nil, limit: 9).map(\.type) == ["SlipAdded", "SlipAssigned"])
  }

  @Test func `the events of an awaited command are in the stream that its decider names`() async throws {
    let store = MemoryEventStore()
    try await store.execute(.init(change: .add, card: "7"), on: Card["7"])
    let command = Assigning.Command(card: "7", person: "ann")
    let receipt = try await store.execute(command, on: .boundary(Assigning.self), commandID: "k")
    #expect(receipt.versions == ["Card-7": 2])
    #expect(try await store.execute(command, on: .boundary(Assigning.self), commandID: "k").isRepeated)
    #expect(store.events(.all, after: 1, through: nil, limit: 9).map(\.stream) == ["Card-7"])
  }

  @Test func `a boundary that names its command's stream has the events of it in scenarios and laws`() throws {
    let command = Assigning.Command(card: "7", person: "ann")
    try Assigning.given(.added(card: "7")).when(command).then(.assigned(card: "7", person: "ann"))
    try Assigning.ensureBoundaryHolds(command, after: [.added(card: "7")])
    try Assigning.ensureStatesHold([command, command])
  }
}

private struct Declined: Error {}

private enum SlipEvent: Event {
  case added(card: String)
  case renamed(card: String)
  case closed(card: String)
  case assigned(card: String, person: String)

  var tags: Set<EventTag> {
    switch self {
    case .added(let card), .renamed(let card), .closed(let card): [EventTag("card:\(card)")]
    case .assigned(let card, let person): [EventTag("card:\(card)"), EventTag("person:\(person)")]
    }
  }
}

/// A card decides all but who has it.
private struct Card: Decider {
  enum Change: Sendable, CaseIterable { case add, rename, close }
  struct Command: Sendable {
    let change: Change
    let card: String
  }

  var isAdded = false
  var isOpen = false
  var person: String?

  func decide(_ command: Command) throws(Declined) -> [SlipEvent] {
    switch command.change {
    case .add:
      if isAdded { throw Declined() }
      return [.added(card: command.card)]
    case .rename:
      guard isOpen else { throw Declined() }
      return [.renamed(card: command.card)]
    case .close:
      guard isOpen, person == nil else { throw Declined() }
      return [.closed(card: command.card)]
    }
  }

  mutating func evolve(_ event: SlipEvent) {
    switch event {
    case .added: (isAdded, isOpen) = (true, true)
    case .renamed: break
    case .closed: isOpen = false
    case .assigned(_, let person): self.person = person
    }
  }
}

/// Gives a card to a person, who may have two.
private struct Assigning: BoundaryDecider {
  struct Command: Sendable {
    let card: String
    let person: String
  }

  var open: Set<String> = []
  var holders: [String: String] = [:]

  static func boundary(for command: Command) -> EventQuery {
    .stream(stream(for: command)) || .tagged(EventTag("person:\(command.person)"))
  }

  static func stream(for command: Command) -> StreamName { Card.stream(command.card) }

  func decide(_ command: Command) throws(Declined) -> [SlipEvent] {
    guard open.contains(command.card), holders[command.card] == nil,
      holders.values.filter({ $0 == command.person }).count < 2
    else { throw Declined() }
    return [.assigned(card: command.card, person: command.person)]
  }

  mutating func evolve(_ event: SlipEvent) {
    switch event {
    case .added(let card): open.insert(card)
    case .renamed: break
    case .closed(let card): open.remove(card)
    case .assigned(let card, let person): holders[card] = person
    }
  }
}

/// The same rules on all cards at a time.
private struct PlainCards {
  var cards: [String: (isOpen: Bool, person: String?)] = [:]

  mutating func change(_ command: Card.Command) -> Bool {
    let card = cards[command.card]
    switch command.change {
    case .add:
      if card != nil { return false }
      cards[command.card] = (true, nil)
    case .rename: return card?.isOpen == true
    case .close:
      guard let card, card.isOpen, card.person == nil else { return false }
      cards[command.card]?.isOpen = false
    }
    return true
  }

  mutating func assign(_ command: Assigning.Command) -> Bool {
    guard let card = cards[command.card], card.isOpen, card.person == nil,
      cards.values.filter({ $0.person == command.person }).count < 2
    else { return false }
    cards[command.card]?.person = command.person
    return true
  }
}
