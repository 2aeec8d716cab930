/// What an append answers once it is committed.
public struct Receipt: Hashable, Sendable {
  /// The log's last position when the append was done: that of its last event, if it had any.
  public let position: Position
  /// The number of events that it added; they end at `position`.
  public let count: Int
  /// The transaction's number; nil if nothing was to be added.
  public let transaction: Int?
  /// The versions of the streams that it wrote to or had expectations of, afterwards.
  public let versions: [StreamName: Int]

  /// Creates a receipt, as a store does.
  ///
  /// - Parameters:
  ///   - position: The log's last position afterwards.
  ///   - count: The number of events added.
  ///   - transaction: The transaction's number, nil if there is none.
  ///   - versions: The versions of the streams afterwards.
  public init(position: Position, count: Int, transaction: Int?, versions: [StreamName: Int]) {
    self.position = position
    self.count = count
    self.transaction = transaction
    self.versions = versions
  }

  /// The positions of the events that it added; nil if it added none.
  package var events: ClosedRange<Position>? {
    count > 0 ? Position(position.rawValue - count + 1)...position : nil
  }
}
