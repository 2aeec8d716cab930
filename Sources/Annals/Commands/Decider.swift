import AnnalsLog

/// The write side of a domain: a type that turns commands into events, or refuses commands.
///
/// A decider's value is the state of one stream, such as one to-do list, built from the stream's events. ``decide(_:)``
/// and ``evolve(_:)`` must be pure functions, so pass times and identifiers in the command.
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
///     try store.execute("Buy milk", on: TodoList["home"])
public protocol Decider: Sendable {
  /// The type of the commands.
  associatedtype Command
  /// The type of the events.
  associatedtype Event: Annals.Event
  /// The error for a refused command, inferred from the error type of `decide`.
  associatedtype Rejection: Error = any Error

  /// The first part of the decider's stream names, such as `Bookshop` in `Bookshop-main`, by default the type's name.
  ///
  /// For a nested type, the default doesn't contain the names of the enclosing types. Two deciders with the same
  /// category can't be used on one store, unless both types declare `category`.
  static var category: String { get }

  /// Creates the initial state, for a stream that has no events yet.
  init()

  /// Decides which events a command produces.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The events, in order, or an empty array if the command changes no state.
  /// - Throws: The reason for refusing the command.
  func decide(_ command: Command) throws(Rejection) -> [Event]

  /// Applies an event to the state.
  ///
  /// - Parameter event: The event to apply.
  mutating func evolve(_ event: Event)
}

extension Decider {
  /// The default category, which is the type's name.
  public static var category: String {
    DefaultNames.note(Self.self)
    return shortName(of: Self.self)
  }

  /// Returns the name of the stream with an identifier, for example `Bookshop-main`.
  ///
  /// - Parameter id: The stream's identifier within the category.
  /// - Returns: The stream's name.
  public static func stream(_ id: String) -> StreamName {
    StreamName("\(category)-\(id)")
  }
}
