public import Foundation

extension UndoHistory {
  /// A step that can be undone: one or more commands that were executed together through an ``UndoHistory``.
  public struct Step: Identifiable, Hashable, Sendable, CustomStringConvertible {
    /// The step's unique id.
    ///
    /// The metadata of each of the step's events contains this id under the name `undostep`.
    public let id: String
    /// The step's title for the user interface, such as "Take Seat", or `nil` for a step without a title.
    ///
    /// A redo has the same title as the step that it redoes.
    public let title: String?
    /// The time of the step's last event.
    public internal(set) var time: Date
    /// The position of the step's last event.
    public internal(set) var position: Position
    /// The id of the step that this step reverses, or nil for an executed step.
    let target: Step.ID?
    /// The key of the group whose later commands continue the step, or nil.
    let group: String?
    /// The commands, in order.
    var parts: [UndoPart] = []

    /// The number of commands in the step.
    ///
    /// If this step reversed another step, all commands that reversed the same command count as one command.
    public var count: Int { parts.count }

    /// The title in quotation marks, or the word `step` and the id if the step has no title.
    public var description: String { title.map { "\"\($0)\"" } ?? "step \(id)" }
  }
}

/// A command of a step, or the commands that reversed one command, reconstructed from their events.
struct UndoPart: Hashable, Sendable {
  /// The decider whose states are read, and the source of the events.
  struct Subject: Hashable {
    let decider: String
    let stream: StreamName
    /// The canonical string of the boundary's query, or nil for a stream.
    let boundary: String?
  }

  /// The command's number in its step, from 1.
  let number: Int
  let subject: Subject
  /// The identity of the first event.
  let id: EventID
  var positions: [Position]
}

extension UndoHistory {
  /// The steps that one author can undo and redo, according to the log.
  public struct Stacks: Hashable, Sendable {
    /// The steps that can be undone, the newest step last.
    public let undo: [Step]
    /// The steps that can be redone, the next step to redo last.
    public let redo: [Step]
    /// The log's last position when the stacks were read.
    public let position: Position
  }
}
