import Annals
import Foundation

/// An item as it is shown.
public struct Todo: Row {
  public let id: Int
  public var title: String
  public var isDone = false

  public init(id: Int, title: String, isDone: Bool = false) {
    (self.id, self.title, self.isDone) = (id, title, isDone)
  }
}

/// The items as rows.
public struct Todos: Projection {
  public init() {}

  public func project(_ event: TodoEvent, into rows: inout Rows<Todo>) {
    switch event {
    case .added(let id, let title): rows.insert(Todo(id: id, title: title))
    case .renamed(let id, let title): rows[id]?.title = title
    case .finished(let id): rows[id]?.isDone = true
    case .reopened(let id): rows[id]?.isDone = false
    case .removed(let id): rows[id] = nil
    }
  }
}

extension ListRequest<Todo> {
  /// What is to be done, then what is done, each by title.
  public static var todos: ListRequest {
    ListRequest(
      sort: [.ascending(\.title, in: Collation(locale: Locale(identifier: "en")))],
      section: .by("state", order: .inOrder(of: ["To do", "Done"])) { $0.isDone ? "Done" : "To do" })
  }

  /// Shows the items whose titles contain a text, in small letters or large ones.
  ///
  /// - Parameter text: What you typed; without a letter, all items are shown.
  public mutating func search(_ text: String) {
    filter = text.isEmpty ? nil : .where("title contains \(text)") { $0.title.localizedStandardContains(text) }
  }
}
