package import Annals

/// What was taken out of a damaged log, and what was not.
package struct SalvageReport: Hashable, Sendable {
  /// Some positions that are not in the new log, and why.
  package struct Loss: Hashable, Sendable {
    /// The positions in the damaged log; nil if it is about no event in particular.
    package let positions: ClosedRange<Position>?
    /// Why they are lost.
    package let reason: String
  }

  /// How many events and transactions are in the new log.
  package internal(set) var events = 0
  package internal(set) var transactions = 0
  /// How many answers of commands, and how many checkpoints of followers.
  package internal(set) var commands = 0
  package internal(set) var followers = 0
  /// How many drafts, with those of their commands that are sound.
  package internal(set) var drafts = 0
  /// The last position that the damaged log had, as far as it says so.
  package internal(set) var end: Position?
  /// How many positions are lost.
  package internal(set) var lostEvents = 0
  /// What is lost, in the order of positions.
  package internal(set) var losses: [Loss] = []
  /// True if an event was lost before one that is in the new log: positions and versions are others there.
  package internal(set) var isRenumbered = false

  /// True if nothing was lost.
  package var isComplete: Bool { losses.isEmpty }
}
