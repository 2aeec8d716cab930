import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

/// Counts and sizes of a log's contents, from the statistics of a file or by reading all events.
struct LogCounts {
  struct Part {
    let name: String
    let events: Int
    let payloadBytes: Int
  }

  /// The statistics of the file, or `nil` if the log isn't a file.
  let file: LogStatistics?
  private(set) var events = 0
  private(set) var transactions = 0
  private(set) var tags = 0
  private(set) var sources = 0
  private(set) var payloadBytes = 0
  private(set) var personalFields = 0
  private(set) var subjects = 0
  let erasures: Int
  let compacted: CompactedHistory
  let hasRemnants: Bool
  private(set) var times: ClosedRange<Date>?
  private(set) var types: [Part] = []
  private(set) var streams = 0
  private(set) var largestStreams: [Part] = []

  init(_ log: LogStatistics) {
    func parts(_ parts: [LogStatistics.Part]) -> [Part] {
      parts.map { Part(name: $0.name, events: $0.events, payloadBytes: $0.payloadBytes) }
    }
    file = log
    (events, transactions, tags, sources) = (log.events, log.transactions, log.tags, log.sources)
    (payloadBytes, personalFields, subjects) = (log.payloadBytes, log.personalFields, log.subjects)
    (erasures, compacted, hasRemnants, times) = (log.erasures, log.compacted, log.hasRemnants, log.times)
    (types, streams, largestStreams) = (parts(log.types), log.streams, parts(log.largestStreams))
  }

  /// Counts all events of a log, for example of a log on a server.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - outliers: Receives the times of all events.
  ///   - progress: Receives the number of events that were read, and the log's last position.
  /// - Throws: `EventStoreError`.
  /// - Complexity: O(n) for n events, and memory for the names of streams, types, tags, sources and subjects.
  init(of store: some EventStore, _ outliers: inout TimeOutliers, _ progress: (Int, Int) -> Void) throws {
    let (head, revision) = try store.read { (try $0.head(), try $0.revision()) }
    (file, hasRemnants) = (nil, false)
    (erasures, compacted) = (revision.erasures, revision.compacted)
    var (byType, byStream): ([ExactString: (Int, Int)], [ExactString: (Int, Int)]) = ([:], [:])
    var (allTags, allSources, allSubjects): (Set<EventTag>, Set<ExactString>, Set<ExactString>) = ([], [], [])
    var transaction: Int?
    try store.forEachBatch(through: head) { batch in
      for index in 0..<batch.count {
        let event = batch.event(at: index)
        let cut = try event.payload.map { try PersonalPayload(cutting: $0) }
        let bytes = cut?.payload.utf8.count ?? 0
        outliers.add(
          EventStamp(
            position: event.position.rawValue, transaction: event.transaction, time: event.time.microseconds))
        events += 1
        payloadBytes += bytes
        if event.transaction != transaction { transactions += 1 }
        transaction = event.transaction
        for field in cut?.fields ?? [] where field.object != nil {
          personalFields += 1
          allSubjects.insert(ExactString(field.subject))
        }
        let (type, stream) = (ExactString(event.type), ExactString(event.stream.text))
        byType[type, default: (0, 0)].0 += 1
        byType[type, default: (0, 0)].1 += bytes
        byStream[stream, default: (0, 0)].0 += 1
        byStream[stream, default: (0, 0)].1 += bytes
        allTags.formUnion(event.tags)
        allSources.insert(ExactString(event.id.source))
        times = min(times?.lowerBound ?? event.time, event.time)...max(times?.upperBound ?? event.time, event.time)
      }
      progress(events, head.rawValue)
    }
    outliers.end()
    (tags, sources, subjects, streams) = (allTags.count, allSources.count, allSubjects.count, byStream.count)
    types = Self.parts(byType)
    largestStreams = Array(Self.parts(byStream).prefix(20))
  }

  /// The parts, by descending number of events and then by name.
  private static func parts(_ counts: [ExactString: (events: Int, bytes: Int)]) -> [Part] {
    counts.map { Part(name: $0.key.text, events: $0.value.events, payloadBytes: $0.value.bytes) }
      .sorted { ($1.events, $0.name) < ($0.events, $1.name) }
  }
}
