import Annals

extension TodoList: UndoableDecider {
  /// The commands that take back what a command led to; `self` is the list before it.
  public func undoing(_ events: [TodoEvent]) -> [TodoCommand]? {
    events.reversed().compactMap { event in
      switch event {
      case .added(let id, _): .remove(id: id)
      case .renamed(let id, _): items[id].map { .rename(id: id, to: $0.title) }
      case .finished(let id):
        // A restored item that was done goes with the item.
        items[id] == nil ? nil : .reopen(id: id)
      case .reopened(let id): .finish(id: id)
      case .removed(let id): items[id].map { .restore(id: id, title: $0.title, isDone: $0.isDone) }
      }
    }
  }
}
