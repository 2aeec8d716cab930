import Annals

/// Decides what happens to a to-do list.
public struct TodoList: Decider, Equatable {
  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case noTitle, moreThanOneLine, alreadyThere(Int), notThere(Int), alreadyDone(Int), notDone(Int)
  }

  /// What a decision needs of an item.
  struct Item: Equatable {
    var title: String
    var isDone = false
  }

  /// The list that the program shows.
  public static var main: CommandSubject<TodoList> { TodoList["main"] }

  private(set) var items: [Int: Item] = [:]
  private var last = 0

  public init() {}

  public func decide(_ command: TodoCommand) throws(Refusal) -> [TodoEvent] {
    switch command {
    case .add(let title): return [.added(id: last + 1, title: try cleaned(title))]
    case .restore(let id, let title, let isDone):
      guard items[id] == nil else { throw .alreadyThere(id) }
      return [.added(id: id, title: try cleaned(title))] + (isDone ? [.finished(id: id)] : [])
    case .rename(let id, let title):
      let title = try cleaned(title)
      return try item(id).title == title ? [] : [.renamed(id: id, to: title)]
    case .finish(let id):
      guard try !item(id).isDone else { throw .alreadyDone(id) }
      return [.finished(id: id)]
    case .reopen(let id):
      guard try item(id).isDone else { throw .notDone(id) }
      return [.reopened(id: id)]
    case .remove(let id):
      _ = try item(id)
      return [.removed(id: id)]
    }
  }

  public mutating func evolve(_ event: TodoEvent) {
    switch event {
    case .added(let id, let title):
      items[id] = Item(title: title)
      // A number is not given twice, also if its item was removed.
      last = max(last, id)
    case .renamed(let id, let title): items[id]?.title = title
    case .finished(let id): items[id]?.isDone = true
    case .reopened(let id): items[id]?.isDone = false
    case .removed(let id): items[id] = nil
    }
  }

  private func item(_ id: Int) throws(Refusal) -> Item {
    guard let item = items[id] else { throw .notThere(id) }
    return item
  }

  private func cleaned(_ title: String) throws(Refusal) -> String {
    let words = title.drop(while: \.isWhitespace)
    guard let end = words.lastIndex(where: { !$0.isWhitespace }) else { throw .noTitle }
    guard !words[...end].contains(where: \.isNewline) else { throw .moreThanOneLine }
    return String(words[...end])
  }
}

extension TodoList.Refusal: CustomStringConvertible {
  /// A sentence for the user.
  public var description: String {
    switch self {
    case .noTitle: "an item needs a title"
    case .moreThanOneLine: "a title is one line"
    case .alreadyThere(let id): "item \(id) is there already"
    case .notThere(let id): "there is no item \(id)"
    case .alreadyDone(let id): "item \(id) is done already"
    case .notDone(let id): "item \(id) is not done"
    }
  }
}
