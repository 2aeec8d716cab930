public import Foundation

/// What an undo takes back at once: the commands that were executed together through an ``UndoHistory``.
public struct UndoStep: Identifiable, Hashable, Sendable, CustomStringConvertible {
  /// What tells the step from every other; its events have it in their metadata as `undostep`.
  public let id: String
  /// What it is called on a screen, such as "Take Seat"; nil if it was given no name.
  ///
  /// A redo has the name of what it repeats.
  public let title: String?
  /// When its last event happened.
  public internal(set) var time: Date
  /// The position of its last event.
  public internal(set) var position: Position
  /// The step that it takes back; nil for one that was executed.
  let target: UndoStep.ID?
  /// The commands, in order.
  var parts: [UndoPart] = []

  /// The number of its commands.
  public var count: Int { parts.count }

  /// The name, or the id of a step without one.
  public var description: String { title.map { "\"\($0)\"" } ?? "step \(id)" }
}

/// A command of a step, as its events tell of it.
struct UndoPart: Hashable, Sendable {
  /// Whose states are read, and which events they are folded from.
  struct Subject: Hashable {
    let decider: String
    let stream: StreamName
    /// The text of the boundary's query; nil for a stream.
    let boundary: String?
  }

  /// The number in its step, from 1.
  let number: Int
  let subject: Subject
  /// The identity of its first event.
  let id: EventID
  var positions: [Position]
}

/// What one actor can undo and redo, as the log says.
public struct UndoStacks: Hashable, Sendable {
  /// What an undo takes back, the newest last.
  public let undo: [UndoStep]
  /// What a redo repeats, the next one last.
  public let redo: [UndoStep]
  /// The position of the log that says so.
  public let position: Position
}
