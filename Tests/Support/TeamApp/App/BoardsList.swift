public import Annals
public import TeamBoards

/// A board in a list.
public struct BoardRow: Row {
  /// What tells the board from others.
  public let id: String
  /// What it is called.
  public var name: String
  /// True if it takes no cards any more.
  public var isArchived: Bool

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: What tells the board from others.
  ///   - name: What it is called.
  ///   - isArchived: True if it takes no cards any more.
  public init(id: String, name: String, isArchived: Bool = false) {
    (self.id, self.name, self.isArchived) = (id, name, isArchived)
  }
}

/// All boards.
public struct Boards: Projection {
  /// Makes the projection.
  public init() {}

  /// Folds an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - rows: The boards.
  public func project(_ event: TeamBoardEvent, into rows: inout Rows<BoardRow>) {
    switch event {
    case .opened(let id, let name): rows.insert(BoardRow(id: id, name: name))
    case .renamed(let id, let name): rows[id]?.name = name
    case .archived(let id): rows[id]?.isArchived = true
    }
  }
}
