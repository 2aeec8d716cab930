public import Annals
public import Foundation

/// How much a log holds.
public struct LogStatistics: Hashable, Sendable {
  /// A stream's or a type's part of a log.
  public struct Part: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The number of events.
    public let events: Int
    /// The bytes of their payloads, as UTF-8.
    public let payloadBytes: Int
  }

  /// The format's version.
  public let format: Int
  /// The bytes of the log's file.
  public let fileBytes: Int
  /// The bytes of the file of commits beside it, 0 if there is none.
  public let commitBytes: Int
  /// The number of events.
  public let events: Int
  /// The number of transactions that the events are of.
  public let transactions: Int
  /// The number of different tags.
  public let tags: Int
  /// The number of sources that events came from.
  public let sources: Int
  /// The number of commands that were committed under an id.
  public let commands: Int
  /// The bytes of all payloads, as UTF-8, without the values of personal fields.
  public let payloadBytes: Int
  /// The number of values of personal fields, which can be erased.
  public let personalFields: Int
  /// The number of subjects that they are about.
  public let subjects: Int
  /// The number of erasures.
  public let erasures: Int
  /// How often the log was compacted, and up to where.
  public let compacted: CompactedHistory
  /// True if bytes of what was erased or cut may be left in the log's files.
  ///
  /// The next erasure or compaction takes them out.
  public let hasRemnants: Bool
  /// The earliest and the latest time of an event; nil in an empty log.
  public let times: ClosedRange<Date>?
  /// The types, those with the most events first.
  public let types: [Part]
  /// The number of streams.
  public let streams: Int
  /// The streams with the most events, those with the most first.
  public let largestStreams: [Part]
}
