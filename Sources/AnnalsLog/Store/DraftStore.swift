public import Foundation

/// An interface for storing the commands of drafts until the drafts are merged or discarded.
///
/// A draft is a named `Branch` that survives a restart of the app. `EventStore.draft(named:deciders:)` opens a
/// draft. An ``EventStore`` that can store drafts returns this interface from ``EventStore/drafts``.
///
/// A draft's commands aren't in the log, so the store saves them separately. The commands are saved as durably as
/// events, so a change isn't lost after the method that made the change has returned. With every change, the caller
/// passes a `DraftVersion`, which identifies the draft's state before the change. If two programs change the same draft
/// at the same time, the second change is refused, because the draft no longer has this state.
///
/// Two draft names are equal only if their Unicode scalars are equal, like two stream names.
public protocol DraftStore: Sendable {
  /// Returns the stored drafts, sorted by name.
  ///
  /// - Returns: The drafts' summaries, without the commands.
  /// - Throws: ``EventStoreError``.
  func drafts() throws -> [DraftSummary]

  /// Returns a stored draft with its commands.
  ///
  /// - Parameter name: The draft's name.
  /// - Returns: The draft, or `nil` if no draft has this name.
  /// - Throws: ``EventStoreError``.
  func draft(named name: String) throws -> KeptDraft?

  /// Appends a command to a draft, or creates the draft with the command if `DraftVersion.edition` is 0.
  ///
  /// - Parameters:
  ///   - command: The command. Its number must be higher than all command numbers that the draft has used so far.
  ///   - version: The state that the draft must have now. The change increases the draft's edition by one.
  ///   - time: The time of the change.
  /// - Returns: True if the draft was changed. False if the draft isn't in the state `version`, so it's unchanged.
  /// - Throws: ``EventStoreError``.
  func add(_ command: KeptDraft.Command, to version: DraftVersion, at time: Date) throws -> Bool

  /// Reorders a draft's commands, and deletes all commands whose numbers you don't pass.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the commands to keep, in their new order.
  ///   - version: The state that the draft must have now. The change increases the draft's edition by one.
  ///   - time: The time of the change.
  /// - Returns: True if the draft was changed. False if the draft isn't in the state `version`, so it's unchanged.
  /// - Throws: ``EventStoreError``.
  func arrange(_ numbers: [Int], of version: DraftVersion, at time: Date) throws -> Bool

  /// Deletes a draft.
  ///
  /// - Parameter version: The state that the draft must have now.
  /// - Returns: True if the draft was deleted. False if the draft isn't in the state `version`, so it's unchanged.
  /// - Throws: ``EventStoreError``.
  func delete(_ version: DraftVersion) throws -> Bool
}

/// A stored draft with its commands.
public struct KeptDraft: Hashable, Sendable {
  /// A command of a stored draft.
  public struct Command: Hashable, Sendable {
    /// The stored content of a command.
    public enum Content: Hashable, Sendable {
      /// An encoded command, in a format that only this library reads.
      case text(String)
      /// A command whose content was deleted, because it contained personal data that was erased.
      case erased
      /// A command that can't be read, with the reason.
      case damaged(String)
    }

    /// The number that identifies the command in its draft.
    public let number: Int
    /// The command's content.
    public let content: Content
    /// The ids of the persons (the subjects) whose ``Personal`` data the command contains.
    ///
    /// If the data of one of these subjects is erased, the command's content is deleted.
    public let subjects: Set<String>

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - number: The number that identifies the command in its draft.
    ///   - content: The command's content.
    ///   - subjects: The ids of the persons whose ``Personal`` data the command contains.
    public init(number: Int, content: Content, subjects: Set<String> = []) {
      self.number = number
      self.content = content
      self.subjects = subjects
    }
  }

  /// The draft's name, its identifier, and the number of its changes.
  public let version: DraftVersion
  /// The highest number that any command of the draft has had so far, including deleted commands.
  public let lastNumber: Int
  /// The commands, in order.
  public let commands: [Command]

  /// Creates a stored draft.
  ///
  /// - Parameters:
  ///   - version: The draft's name, its identifier, and the number of its changes.
  ///   - lastNumber: The highest number that any command of the draft has had so far, including deleted commands.
  ///   - commands: The commands, in order.
  public init(version: DraftVersion, lastNumber: Int, commands: [Command]) {
    self.version = version
    self.lastNumber = lastNumber
    self.commands = commands
  }
}

/// A stored draft without its commands.
public struct DraftSummary: Hashable, Sendable {
  /// The draft's name, its identifier, and the number of its changes.
  public let version: DraftVersion
  /// The number of commands in the draft.
  public let count: Int
  /// The time of the last change.
  public let changed: Date

  /// The draft's name.
  public var name: String { version.name }

  /// Creates a summary.
  ///
  /// - Parameters:
  ///   - version: The draft's name, its identifier, and the number of its changes.
  ///   - count: The number of commands in the draft.
  ///   - changed: The time of the last change.
  public init(version: DraftVersion, count: Int, changed: Date) {
    self.version = version
    self.count = count
    self.changed = changed
  }
}
