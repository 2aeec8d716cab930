/// The write side of a domain: says which events a command leads to, or refuses it.
///
/// A decider is the state of one stream, folded from its events. Both functions are pure. Pass times and identifiers
/// with the command.
///
///     struct TodoList: Decider {
///       enum Refusal: Error { case alreadyThere }
///       var titles: Set<String> = []
///
///       func decide(_ title: String) throws(Refusal) -> [TodoEvent] {
///         guard !titles.contains(title) else { throw .alreadyThere }
///         return [.added(title: title)]
///       }
///
///       mutating func evolve(_ event: TodoEvent) {
///         if case .added(let title) = event { titles.insert(title) }
///       }
///     }
///
///     try store.execute("Buy milk", on: TodoList.self, id: "home")
public protocol Decider: Sendable {
  /// What someone wants.
  associatedtype Command
  /// What happens.
  associatedtype Event: Annals.Event
  /// Why a command is refused; inferred from what `decide` throws.
  associatedtype Rejection: Error = any Error

  /// The word that begins the names of its streams, `Bookshop-main`; by default the type's name.
  ///
  /// The default doesn't contain the types that the decider is nested in. Two deciders with one category can't be used
  /// on one store, unless both declare it.
  static var category: String { get }

  /// Creates the state of a stream without events.
  init()

  /// Decides what a command leads to.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The events, in order; none if there is nothing to do.
  /// - Throws: Why the command is refused.
  func decide(_ command: Command) throws(Rejection) -> [Event]

  /// Folds an event into the state.
  ///
  /// - Parameter event: What happened.
  mutating func evolve(_ event: Event)
}

extension Decider {
  /// The type's name.
  public static var category: String {
    DefaultNames.note(Self.self)
    return String(describing: Self.self)
  }

  /// The name of the stream of an id: `Bookshop-main`.
  ///
  /// - Parameter id: Which of the category's streams.
  /// - Returns: The stream's name.
  public static func stream(_ id: String) -> StreamName {
    StreamName("\(category)-\(id)")
  }
}
