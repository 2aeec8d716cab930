public import AnnalsLog
public import Foundation

/// Statistics of a log's contents, for example the numbers of events and bytes.
public struct LogStatistics: Hashable, Sendable {
  /// The number of events in one stream or of one event type, and the size of their payloads.
  public struct Part: Hashable, Sendable {
    /// The name of the stream or the event type.
    public let name: String
    /// The number of events.
    public let events: Int
    /// The size of the events' payloads in bytes, as UTF-8.
    public let payloadBytes: Int
  }

  /// The version of the log's file format, as in `Docs/FileFormat.md`.
  public let format: Int
  /// The size of the log's file in bytes.
  public let fileBytes: Int
  /// The size in bytes of the log's `-wal` file, which contains the latest commits, or 0 if this file doesn't exist.
  public let commitBytes: Int
  /// The number of events.
  public let events: Int
  /// The number of transactions that appended the log's events.
  public let transactions: Int
  /// The number of distinct tags.
  public let tags: Int
  /// The number of distinct sources in the events' identities (`EventID`).
  public let sources: Int
  /// The number of commands that were committed with a command id.
  public let commands: Int
  /// The size of all payloads in bytes, as UTF-8, without the values of personal fields (`Personal`).
  public let payloadBytes: Int
  /// The number of values in personal fields (`Personal`), without erased values.
  public let personalFields: Int
  /// The number of people (subjects) with values in personal fields (`Personal`).
  public let subjects: Int
  /// The number of erasures, which delete people's personal values.
  public let erasures: Int
  /// The number of compactions, and the position up to which the log was compacted.
  ///
  /// A compaction replaces events with fewer events, or removes a stream.
  public let compacted: CompactedHistory
  /// True if bytes of erased or compacted data might remain in the log's files.
  ///
  /// The next erasure or compaction removes these bytes.
  public let hasRemnants: Bool
  /// The earliest and the latest time of any event, or `nil` for an empty log.
  public let times: ClosedRange<Date>?
  /// The event types, sorted by their number of events in descending order.
  public let types: [Part]
  /// The number of streams.
  public let streams: Int
  /// The streams with the most events, sorted by their number of events in descending order.
  ///
  /// The parameter `streamLimit` of ``SQLiteEventStore/statistics(streamLimit:)`` limits the number of these streams.
  public let largestStreams: [Part]
}
