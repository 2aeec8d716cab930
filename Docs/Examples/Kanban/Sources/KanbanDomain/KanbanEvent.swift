import Annals

/// A column of the board.
public enum Column: String, CaseIterable, Codable, OrderedValue {
  case backlog, doing, review, done
}

/// What happened to a board.
public enum KanbanEvent: Event, Equatable {  // stored as KanbanAdded {"card":1,"title":"Write"}, KanbanMoved {…}, …
  case added(card: Int, title: String)
  case renamed(card: Int, to: String)
  case moved(card: Int, from: Column, to: Column)
  case removed(card: Int)
  case limited(column: Column, to: Int)
}

/// What you want to do with a board.
public enum KanbanCommand: Hashable, Codable, Sendable {
  case add(String)
  case rename(card: Int, to: String)
  case move(card: Int, to: Column)
  case remove(card: Int)
  /// At most so many cards are in a column.
  case limit(Column, to: Int)
}
