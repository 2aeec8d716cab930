public import Foundation

/// Statistics of a log's contents, for example its event types and streams, and the numbers of events and bytes.
///
/// Every store returns statistics (``EventStore/statistics(streamLimit:)``). The default implementation reads all
/// events. A store that can count faster, for example with a query of its database, implements the method, and sets the
/// properties of an empty value:
///
///     var statistics = LogStatistics()
///     statistics.events = try database.count("SELECT count(*) FROM event")
public struct LogStatistics: Hashable, Sendable {
  /// The number of events in one stream or of one event type, and the size of their payloads.
  public struct Part: Hashable, Sendable {
    /// The name of the stream or the event type.
    public var name: String
    /// The number of events.
    public var events: Int
    /// The size of the events' payloads in bytes, as UTF-8, without the values of personal fields (`Personal`).
    public var payloadBytes: Int

    /// Creates the counts of a stream or an event type.
    ///
    /// - Parameters:
    ///   - name: The name of the stream or the event type.
    ///   - events: The number of events.
    ///   - payloadBytes: The size of the events' payloads in bytes.
    public init(name: String, events: Int, payloadBytes: Int) {
      (self.name, self.events, self.payloadBytes) = (name, events, payloadBytes)
    }
  }

  /// The version of the store's format, for example of the file format in `Docs/FileFormat.md`, or `nil` if the store
  /// has no format.
  public var format: Int?
  /// The size of the log's file in bytes, or of its tables on a server, or 0 if it's unknown.
  public var fileBytes = 0
  /// The size in bytes of the log's `-wal` file, which contains the latest commits, or 0 if this file doesn't exist.
  public var commitBytes = 0
  /// The number of events.
  public var events = 0
  /// The number of transactions that appended the log's events.
  public var transactions = 0
  /// The number of distinct tags.
  public var tags = 0
  /// The distinct sources in the events' identities (`EventID`), sorted by their bytes.
  public var sources: [String] = []
  /// The number of commands that were committed with a command id, or `nil` if it's unknown.
  public var commands: Int?
  /// The size of all payloads in bytes, as UTF-8, without the values of personal fields (`Personal`).
  public var payloadBytes = 0
  /// The number of values in personal fields (`Personal`), without erased values.
  public var personalFields = 0
  /// The number of people (subjects) with values in personal fields (`Personal`).
  public var subjects = 0
  /// The number of erasures, which delete people's personal values.
  public var erasures = 0
  /// The number of compactions, and the position up to which the log was compacted.
  ///
  /// A compaction replaces events with fewer events, or removes a stream.
  public var compacted = CompactedHistory.none
  /// True if bytes of erased or compacted data might remain in the log's files.
  ///
  /// The next erasure or compaction removes these bytes.
  public var hasRemnants = false
  /// The earliest and the latest time of any event, or `nil` for an empty log.
  public var times: ClosedRange<Date>?
  /// The event types, sorted by their number of events in descending order, and then by name.
  public var types: [Part] = []
  /// The number of streams.
  public var streams = 0
  /// The streams with the most events, sorted by their number of events in descending order, and then by name.
  ///
  /// The parameter `streamLimit` of ``EventStore/statistics(streamLimit:)`` limits the number of these streams.
  public var largestStreams: [Part] = []

  /// Creates the statistics of an empty log.
  public init() {}

  /// Creates statistics by reading all events of a log.
  ///
  /// A store that shows other events than the store that it wraps can use this initializer:
  ///
  ///     func statistics(streamLimit: Int) throws -> LogStatistics {
  ///       try read { try LogStatistics(of: $0, streamLimit: streamLimit) }
  ///     }
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - streamLimit: The maximum number of streams in ``largestStreams``.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for n events, with memory for the names of types, streams, tags, sources and subjects.
  public init(of log: any EventLog, streamLimit: Int) throws {
    var counts = LogCounter()
    try log.forEachEvent { try counts.add($0) }
    self = try counts.statistics(log.revision(), streamLimit: streamLimit)
  }
}

extension EventStore {
  /// Returns statistics of the log's contents, by reading all events.
  public func statistics(streamLimit: Int) throws -> LogStatistics {
    try read { try LogStatistics(of: $0, streamLimit: streamLimit) }
  }

  /// Returns statistics of the log's contents, with at most 20 streams.
  ///
  /// - Returns: The statistics.
  /// - Throws: ``EventStoreError``.
  public func statistics() throws -> LogStatistics { try statistics(streamLimit: 20) }
}

/// Counts the events of a log in the order of their positions.
package struct LogCounter {
  private typealias Sum = (events: Int, bytes: Int)

  private var counts = LogStatistics()
  private var (types, streams): ([ExactString: Sum], [ExactString: Sum]) = ([:], [:])
  private var (sources, subjects): (Set<ExactString>, Set<ExactString>) = ([], [])
  private var tags: Set<EventTag> = []
  private var transaction: Int?

  package init() {}

  /// Adds the next event.
  package mutating func add(_ event: StoredEvent) throws {
    let payload = try event.payload.map { try PersonalPayload(cutting: $0) }
    let bytes = payload?.payload.utf8.count ?? 0
    counts.events += 1
    counts.payloadBytes += bytes
    if event.transaction != transaction { counts.transactions += 1 }
    transaction = event.transaction
    for field in payload?.fields ?? [] where field.object != nil {
      counts.personalFields += 1
      subjects.insert(ExactString(field.subject))
    }
    Self.add(bytes, to: &types[ExactString(event.type), default: (0, 0)])
    Self.add(bytes, to: &streams[ExactString(event.stream.text), default: (0, 0)])
    tags.formUnion(event.tags)
    sources.insert(ExactString(event.id.source))
    let times = counts.times ?? event.time...event.time
    counts.times = min(times.lowerBound, event.time)...max(times.upperBound, event.time)
  }

  /// Returns the statistics of the added events.
  package func statistics(_ revision: LogRevision, streamLimit: Int) -> LogStatistics {
    var counts = counts
    (counts.erasures, counts.compacted) = (revision.erasures, revision.compacted)
    (counts.tags, counts.subjects, counts.streams) = (tags.count, subjects.count, streams.count)
    counts.sources = sources.sorted().map(\.text)
    counts.types = Self.parts(types)
    counts.largestStreams = Array(Self.parts(streams).prefix(streamLimit))
    return counts
  }

  private static func add(_ bytes: Int, to sum: inout Sum) { sum = (sum.events + 1, sum.bytes + bytes) }

  /// Returns the parts, by descending number of events and then by name.
  private static func parts(_ sums: [ExactString: Sum]) -> [LogStatistics.Part] {
    sums.sorted { ($1.value.events, $0.key) < ($0.value.events, $1.key) }
      .map { LogStatistics.Part(name: $0.key.text, events: $0.value.events, payloadBytes: $0.value.bytes) }
  }
}
