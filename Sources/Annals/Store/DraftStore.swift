public import Foundation

/// Keeps the commands of drafts beside the events of a store, until the drafts are merged or given up.
///
/// A capability of an ``EventStore``: see ``EventStore/drafts``. `EventStore.branch(keptAs:deciders:)` makes use of it.
///
/// What is kept here is nowhere else, so that a store keeps it as it keeps events: a call that has returned is not
/// lost. Each change names what it was made from, a ``DraftPlace``. So of two programs that change one draft, the
/// second is refused.
///
/// Names are compared by their Unicode scalars, as those of streams are.
public protocol DraftStore: Sendable {
  /// What drafts the store keeps, by name.
  ///
  /// - Returns: One for each draft.
  /// - Throws: ``EventStoreError``.
  func drafts() throws -> [DraftSummary]

  /// What is kept of a draft.
  ///
  /// - Parameter name: The draft's name.
  /// - Returns: The draft; nil if there is none of that name.
  /// - Throws: ``EventStoreError``.
  func draft(named name: String) throws -> KeptDraft?

  /// Adds a command at a draft's end; at edition 0 begins the draft with it.
  ///
  /// - Parameters:
  ///   - command: The command; its number is larger than all that the draft has had.
  ///   - place: What the draft is expected to be. If it is that, its edition is one more from then on.
  ///   - time: When.
  /// - Returns: False if the draft is another by now, or not there; nothing was changed then.
  /// - Throws: ``EventStoreError``.
  func add(_ command: KeptDraft.Command, to place: DraftPlace, at time: Date) throws -> Bool

  /// Puts a draft's commands in an order, and deletes those that are not in it.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of those that stay, in order.
  ///   - place: What the draft is expected to be. If it is that, its edition is one more from then on.
  ///   - time: When.
  /// - Returns: False if the draft is another by now, or not there; nothing was changed then.
  /// - Throws: ``EventStoreError``.
  func arrange(_ numbers: [Int], of place: DraftPlace, at time: Date) throws -> Bool

  /// Deletes a draft.
  ///
  /// - Parameter place: What the draft is expected to be.
  /// - Returns: False if the draft is another by now, or not there.
  /// - Throws: ``EventStoreError``.
  func delete(_ place: DraftPlace) throws -> Bool
}

/// What a store keeps of a draft.
public struct KeptDraft: Hashable, Sendable {
  /// A command as it is kept.
  public struct Command: Hashable, Sendable {
    /// What there is of it.
    public enum Content: Hashable, Sendable {
      /// The command as text, which only the library reads.
      case text(String)
      /// Nothing: it said something of a subject that was erased.
      case erased
      /// Nothing that can be read; why.
      case damaged(String)
    }

    /// The command's number in its draft.
    public let number: Int
    /// What there is of it.
    public let content: Content
    /// Those of whom it says something, and who may ask for it to be erased.
    public let subjects: Set<String>

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - number: The command's number in its draft.
    ///   - content: What there is of it.
    ///   - subjects: Those of whom it says something.
    public init(number: Int, content: Content, subjects: Set<String> = []) {
      (self.number, self.content, self.subjects) = (number, content, subjects)
    }
  }

  /// Which draft it is, and how often it was changed.
  public let place: DraftPlace
  /// The largest number that a command of it ever had.
  public let lastNumber: Int
  /// The commands, in order.
  public let commands: [Command]

  /// Creates what is kept of a draft.
  ///
  /// - Parameters:
  ///   - place: Which draft it is, and how often it was changed.
  ///   - lastNumber: The largest number that a command of it ever had.
  ///   - commands: The commands, in order.
  public init(place: DraftPlace, lastNumber: Int, commands: [Command]) {
    (self.place, self.lastNumber, self.commands) = (place, lastNumber, commands)
  }
}

/// A draft that a store keeps, without its commands.
public struct DraftSummary: Hashable, Sendable {
  /// Which draft it is, and how often it was changed.
  public let place: DraftPlace
  /// How many commands it has.
  public let count: Int
  /// When it was changed last.
  public let changed: Date

  /// The draft's name.
  public var name: String { place.name }

  /// Creates a summary.
  ///
  /// - Parameters:
  ///   - place: Which draft it is, and how often it was changed.
  ///   - count: How many commands it has.
  ///   - changed: When it was changed last.
  public init(place: DraftPlace, count: Int, changed: Date) {
    (self.place, self.count, self.changed) = (place, count, changed)
  }
}
