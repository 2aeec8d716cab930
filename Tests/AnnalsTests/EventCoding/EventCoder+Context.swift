import AnnalsLog
import Foundation

extension EventCoder {
  /// Reads an event for which no upcaster uses the context.
  mutating func read(
    type: String, schema: Int, payload: String?, _ policy: ReadingPolicy = ReadingPolicy()
  ) throws -> EventReading<E> {
    try read(
      type: type, schema: schema, payload: payload, policy,
      context: Upcaster.Context(stream: "history", time: Date(timeIntervalSince1970: 0), metadata: [:]))
  }
}
