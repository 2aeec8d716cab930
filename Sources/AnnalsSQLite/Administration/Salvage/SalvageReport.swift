package import AnnalsLog

/// A report of the data that was copied from a damaged log, and of the lost data.
package struct SalvageReport: Hashable, Sendable {
  /// A range of lost positions, with the reason for the loss.
  package struct Loss: Hashable, Sendable {
    /// The positions in the damaged log, or `nil` if the loss isn't about particular events.
    package let positions: ClosedRange<Position>?
    /// The reason for the loss.
    package let reason: String
  }

  /// The numbers of events and transactions in the new log.
  package internal(set) var events = 0
  package internal(set) var transactions = 0
  /// The numbers of commands' receipts and of followers' checkpoints in the new log.
  package internal(set) var commands = 0
  package internal(set) var followers = 0
  /// The number of copied drafts, with those commands that are intact.
  package internal(set) var drafts = 0
  /// The last position of the damaged log as stored in that log, or `nil` if the stored number is lost.
  package internal(set) var end: Position?
  /// The number of lost positions.
  package internal(set) var lostEvents = 0
  /// The losses, in the order of positions.
  package internal(set) var losses: [Loss] = []
  /// True if an event before a copied event was lost, so that copied events have new positions or versions.
  package internal(set) var isRenumbered = false

  /// True if no data was lost.
  package var isComplete: Bool { losses.isEmpty }
}
