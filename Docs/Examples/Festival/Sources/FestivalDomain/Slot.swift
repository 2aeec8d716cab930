import Foundation

/// The plan of an act: its place and its fee.
public struct Slot: Codable, Hashable, Sendable, Identifiable {
  public let id: Int
  public var act: String
  public var place: Place
  public var fee: Decimal

  public init(id: Int, act: String, place: Place, fee: Decimal) {
    (self.id, self.act, self.place, self.fee) = (id, act, place, fee)
  }
}

/// A stage and the time on it.
public struct Place: Codable, Hashable, Sendable {
  /// The stage, or `nil` for a slot that has no stage yet.
  public var stage: Stage.ID?
  public var start: Date
  public var end: Date

  public init(stage: Stage.ID?, start: Date, end: Date) {
    (self.stage, self.start, self.end) = (stage, start, end)
  }

  /// Returns whether the times of two places overlap.
  public func isDuring(_ other: Place) -> Bool { start < other.end && other.start < end }

  /// Returns whether two slots can't have these places, because they share a stage and some time.
  public func collides(with other: Place) -> Bool { stage != nil && stage == other.stage && isDuring(other) }
}
