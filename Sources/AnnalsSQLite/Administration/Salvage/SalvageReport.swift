package import Annals

/// A report of the data that was copied from a damaged log, and of the losses.
package struct SalvageReport: Hashable, Sendable {
  /// A range of lost positions, with the reason.
  package struct Loss: Hashable, Sendable {
    /// The positions in the damaged log, or `nil` if the loss isn't about particular events.
    package let positions: ClosedRange<Position>?
    /// The reason for the loss.
    package let reason: String
  }

  /// The numbers of events and transactions in the new log.
  package internal(set) var events = 0
  package internal(set) var transactions = 0
  /// The numbers of receipts of commands, and of checkpoints of followers.
  package internal(set) var commands = 0
  package internal(set) var followers = 0
  /// The number of drafts, which contain their intact commands.
  package internal(set) var drafts = 0
  /// The last position of the damaged log according to its own count, or `nil` if the count is lost.
  package internal(set) var end: Position?
  /// The number of lost positions.
  package internal(set) var lostEvents = 0
  /// The losses, in the order of positions.
  package internal(set) var losses: [Loss] = []
  /// True if an event was lost before a copied event, so that positions and versions differ in the new log.
  package internal(set) var isRenumbered = false

  /// True if no data was lost.
  package var isComplete: Bool { losses.isEmpty }
}
