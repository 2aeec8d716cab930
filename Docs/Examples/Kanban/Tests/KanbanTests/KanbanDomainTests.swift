import Annals
import AnnalsTesting
import KanbanDomain
import Testing

@Suite struct KanbanDomainTests {
  private static let card = Generator<Int>.int(in: 1...6)
  private static let column = Generator<Column>.element(of: Column.allCases)
  private static let commands = Generator<[KanbanCommand]>.array(
    of: .frequency(
      (3, .constant(.add("Write"))), (4, zip(card, column).map { .move(card: $0, to: $1) }),
      (1, card.map { .remove(card: $0) }),
      (1, zip(card, .element(of: ["", "Read"])).map { .rename(card: $0, to: $1) }),
      (1, zip(column, .int(in: 0...4)).map { .limit($0, to: $1) })))

  @Test func `a column that is full takes no card`() throws {
    let three = (1...3).flatMap { card -> [KanbanEvent] in
      [.added(card: card, title: "Write"), .moved(card: card, from: .backlog, to: .doing)]
    }
    try Board.given(three + [.added(card: 4, title: "Read")]).when(.move(card: 4, to: .doing))
      .thenRefused(Board.Refusal.full(.doing, limit: 3))
    try Board.given(three).when(.limit(.doing, to: 2)).thenRefused(Board.Refusal.limitBelowCards(.doing, cards: 3))
    try Board.given(three).when(.move(card: 1, to: .doing)).then()
    try Board.given(three).when(.move(card: 9, to: .done)).thenRefused(Board.Refusal.noCard(9))
    try Board.given().when(.add(" ")).thenRefused(Board.Refusal.noTitle)
  }

  @Test func `no column has more cards than its limit, whatever is asked`() throws {
    try check(Self.commands) { commands in
      let store = MemoryEventStore()
      var limits: [Column: Int] = [.doing: 3]
      for command in commands {
        let isDone = (try? store.execute(command, on: Board.main)) != nil
        if isDone, case .limit(let column, let limit) = command { limits[column] = limit }
        for section in try store.list(of: Cards(), .board) {
          guard let column = Column(rawValue: section.title), let limit = limits[column] else { continue }
          try ensure(section.count <= limit, "\(column) has \(section.count) cards")
        }
      }
    }
  }

  @Test func `the board and the cards keep the harness's laws`() throws {
    // A limit changes no card.
    try check(Self.commands, settings: CheckSettings(allowsUnreached: ["limited"])) { commands in
      var (board, history): (Board, [KanbanEvent]) = (Board(), [])
      for command in commands {
        try Board.ensureDecidesEqually(command, after: history)
        guard let events = try? board.decide(command) else { continue }
        for event in events { board.evolve(event) }
        history += events
      }
      try Cards().ensureAllLaws(history, in: .board)
    }
  }
}
