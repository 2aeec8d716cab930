public import Foundation

/// A store for drafts, which keeps a draft's commands until the draft is merged or discarded.
///
/// A draft is a ``Branch`` with a name, which ``EventStore/draft(named:deciders:)`` opens. Storing drafts is a
/// capability of an ``EventStore``, available through ``EventStore/drafts``.
///
/// The commands aren't in the log, so a store keeps them as durably as events: once a call has returned, its change
/// isn't lost. Every change contains the draft's state on which the change is based, as a ``DraftPlace``. So if two
/// programs change the same draft at the same time, the second change is refused.
///
/// Names are compared by their Unicode scalars, like the names of streams.
public protocol DraftStore: Sendable {
  /// Returns the stored drafts, sorted by name.
  ///
  /// - Returns: One summary per draft.
  /// - Throws: ``EventStoreError``.
  func drafts() throws -> [DraftSummary]

  /// Returns a draft with its commands.
  ///
  /// - Parameter name: The draft's name.
  /// - Returns: The draft, or `nil` if no draft has this name.
  /// - Throws: ``EventStoreError``.
  func draft(named name: String) throws -> KeptDraft?

  /// Appends a command to a draft, or creates the draft with the command if ``DraftPlace/edition`` is 0.
  ///
  /// - Parameters:
  ///   - command: The command. Its number must be larger than all earlier numbers of the draft.
  ///   - place: The expected state of the draft. If the draft has this state, its edition increases by one.
  ///   - time: The time of the change.
  /// - Returns: False if the draft doesn't match `place`. In that case the stored data are unchanged.
  /// - Throws: ``EventStoreError``.
  func add(_ command: KeptDraft.Command, to place: DraftPlace, at time: Date) throws -> Bool

  /// Reorders a draft's commands, and deletes the commands that aren't listed.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the commands to keep, in their new order.
  ///   - place: The expected state of the draft. If the draft has this state, its edition increases by one.
  ///   - time: The time of the change.
  /// - Returns: False if the draft doesn't match `place`. In that case the stored data are unchanged.
  /// - Throws: ``EventStoreError``.
  func arrange(_ numbers: [Int], of place: DraftPlace, at time: Date) throws -> Bool

  /// Deletes a draft.
  ///
  /// - Parameter place: The expected state of the draft.
  /// - Returns: False if the draft doesn't match `place`.
  /// - Throws: ``EventStoreError``.
  func delete(_ place: DraftPlace) throws -> Bool
}

/// A stored draft with its commands.
public struct KeptDraft: Hashable, Sendable {
  /// A command of a stored draft.
  public struct Command: Hashable, Sendable {
    /// The stored content of a command.
    public enum Content: Hashable, Sendable {
      /// The encoded command, which only the library can read.
      case text(String)
      /// An erased command, which contained data of an erased subject.
      case erased
      /// An unreadable command, with the reason.
      case damaged(String)
    }

    /// The command's number in its draft.
    public let number: Int
    /// The command's content.
    public let content: Content
    /// The subjects whose personal data the command contains.
    ///
    /// If one of these subjects is erased, the command is erased, too.
    public let subjects: Set<String>

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - number: The command's number in its draft.
    ///   - content: The command's content.
    ///   - subjects: The subjects whose personal data the command contains.
    public init(number: Int, content: Content, subjects: Set<String> = []) {
      (self.number, self.content, self.subjects) = (number, content, subjects)
    }
  }

  /// The draft's name, identifier and edition.
  public let place: DraftPlace
  /// The largest number that any of the draft's commands ever had.
  public let lastNumber: Int
  /// The commands, in order.
  public let commands: [Command]

  /// Creates a stored draft.
  ///
  /// - Parameters:
  ///   - place: The draft's name, identifier and edition.
  ///   - lastNumber: The largest number that any of the draft's commands ever had.
  ///   - commands: The commands, in order.
  public init(place: DraftPlace, lastNumber: Int, commands: [Command]) {
    (self.place, self.lastNumber, self.commands) = (place, lastNumber, commands)
  }
}

/// A stored draft without its commands.
public struct DraftSummary: Hashable, Sendable {
  /// The draft's name, identifier and edition.
  public let place: DraftPlace
  /// The number of commands.
  public let count: Int
  /// The time of the last change.
  public let changed: Date

  /// The draft's name.
  public var name: String { place.name }

  /// Creates a summary.
  ///
  /// - Parameters:
  ///   - place: The draft's name, identifier and edition.
  ///   - count: The number of commands.
  ///   - changed: The time of the last change.
  public init(place: DraftPlace, count: Int, changed: Date) {
    (self.place, self.count, self.changed) = (place, count, changed)
  }
}
