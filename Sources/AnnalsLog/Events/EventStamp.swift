/// An event's position and time, sufficient to find a position by time.
package struct EventStamp: Hashable, Sendable {
  package let position: Int
  package let transaction: Int
  /// The time in microseconds since 1970.
  package let time: Int64

  package init(position: Int, transaction: Int, time: Int64) {
    self.position = position
    self.transaction = transaction
    self.time = time
  }
}
