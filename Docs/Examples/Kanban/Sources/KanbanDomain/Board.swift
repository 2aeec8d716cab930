import Annals

/// Decides what happens to a board: no column has more cards than its limit.
public struct Board: Decider, Equatable {
  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case noTitle, noCard(Int), full(Column, limit: Int), limitBelowCards(Column, cards: Int)
  }

  /// The board that the program shows.
  public static var main: CommandSubject<Board> { Board["main"] }

  private var columns: [Int: Column] = [:]
  private var limits: [Column: Int] = [.doing: 3]
  private var last = 0

  public init() {}

  public func decide(_ command: KanbanCommand) throws(Refusal) -> [KanbanEvent] {
    switch command {
    case .add(let title):
      guard title.contains(where: { !$0.isWhitespace }) else { throw .noTitle }
      try makeRoom(in: .backlog)
      return [.added(card: last + 1, title: title)]
    case .rename(let card, let title):
      guard title.contains(where: { !$0.isWhitespace }) else { throw .noTitle }
      _ = try column(of: card)
      return [.renamed(card: card, to: title)]
    case .move(let card, let to):
      let from = try column(of: card)
      if from == to { return [] }
      try makeRoom(in: to)
      return [.moved(card: card, from: from, to: to)]
    case .remove(let card):
      _ = try column(of: card)
      return [.removed(card: card)]
    case .limit(let column, let limit):
      guard limit >= count(column) else { throw .limitBelowCards(column, cards: count(column)) }
      return limits[column] == limit ? [] : [.limited(column: column, to: limit)]
    }
  }

  public mutating func evolve(_ event: KanbanEvent) {
    switch event {
    case .added(let card, _): (columns[card], last) = (.backlog, card)
    case .renamed: break
    case .moved(let card, _, let column): columns[card] = column
    case .removed(let card): columns[card] = nil
    case .limited(let column, let limit): limits[column] = limit
    }
  }

  private func count(_ column: Column) -> Int { columns.values.count { $0 == column } }

  private func column(of card: Int) throws(Refusal) -> Column {
    guard let column = columns[card] else { throw .noCard(card) }
    return column
  }

  private func makeRoom(in column: Column) throws(Refusal) {
    if let limit = limits[column], count(column) >= limit { throw .full(column, limit: limit) }
  }
}

extension Board.Refusal: CustomStringConvertible {
  /// A sentence for the user.
  public var description: String {
    switch self {
    case .noTitle: "a card needs a title"
    case .noCard(let card): "there is no card \(card)"
    case .full(let column, let limit): "\(column) is full: \(limit) cards at most"
    case .limitBelowCards(let column, let cards): "\(column) has \(cards) cards already"
    }
  }
}
