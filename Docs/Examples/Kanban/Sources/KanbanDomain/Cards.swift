import Annals

/// A card as it is shown.
public struct Card: Row {
  public let id: Int
  public var title: String
  public var column = Column.backlog
  /// Where in the log the card came to its column.
  public var since: Position

  public init(id: Int, title: String, column: Column = .backlog, since: Position) {
    (self.id, self.title, self.column, self.since) = (id, title, column, since)
  }
}

/// The cards as rows.
public struct Cards: Projection {
  public init() {}

  public func project(_ recorded: Recorded<KanbanEvent>, into rows: inout Rows<Card>) {
    switch recorded.event {
    case .added(let card, let title): rows.insert(Card(id: card, title: title, since: recorded.position))
    case .renamed(let card, let title): rows[card]?.title = title
    case .moved(let card, _, let column):
      rows.update(card) {
        $0.column = column
        $0.since = recorded.position
      }
    case .removed(let card): rows[card] = nil
    case .limited: break
    }
  }
}

extension ListRequest<Card> {
  /// The columns from left to right, also without cards; in each the card that has been there longest is first.
  public static var board: ListRequest {
    ListRequest(
      sort: [.ascending(\.since)], section: .by(\.column, pinned: Column.allCases), aggregates: [.count])
  }
}
