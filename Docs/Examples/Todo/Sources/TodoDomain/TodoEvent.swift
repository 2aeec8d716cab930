import Annals

/// What happened to a to-do list.
public enum TodoEvent: Event, Equatable {  // stored as TodoAdded {"id":1,"title":"Milk"}, TodoFinished {"id":1}, …
  case added(id: Int, title: String)
  case renamed(id: Int, to: String)
  case finished(id: Int)
  case reopened(id: Int)
  case removed(id: Int)
}

/// What you want to do with a to-do list.
public enum TodoCommand: Hashable, Sendable {
  /// Adds an item with the next number.
  case add(String)
  /// Brings back an item that was removed, with the number that it had.
  case restore(id: Int, title: String, isDone: Bool)
  case rename(id: Int, to: String)
  case finish(id: Int)
  case reopen(id: Int)
  case remove(id: Int)
}
