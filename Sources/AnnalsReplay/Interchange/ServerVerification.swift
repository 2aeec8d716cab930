import Annals
import AnnalsLog
import AnnalsSQLite

/// A check of all events of a log on a server: what follows from each other must fit.
///
/// The server itself keeps identities apart and its pages sound. Here is compared what only the whole log shows:
/// positions without holes, transactions that follow each other, versions of each stream, payloads that are JSON,
/// record events that are valid, and what the server says of streams.
struct ServerVerification {
  private let log: ServerLog
  private(set) var events = 0
  private(set) var problems: [LogReport.Problem] = []
  private(set) var types: Set<String> = []
  /// The events with wrong times.
  private(set) var times: TimeOutliers
  /// The number of events after the horizon.
  private var late = 0
  private var position = 0
  private var transaction = 0
  private var versions: [StreamName: Int] = [:]
  private var records = RecordIDs()
  private static let mostProblems = 100

  init(_ log: ServerLog) {
    self.log = log
    times = TimeOutliers(now: log.environment.now().microseconds)
  }

  /// Reads and compares everything.
  ///
  /// - Parameter progress: Called now and then with how many events were read, and how many there are.
  /// - Throws: `EventStoreError` if the log cannot be read at all.
  mutating func run(_ progress: (Int, Int) -> Void) throws {
    let (head, horizon) = try log.read { (try $0.head(), try $0.revision().compacted.horizon) }
    do {
      try log.forEachBatch(through: head) { batch in
        for index in 0..<batch.count where problems.count < Self.mostProblems { check(batch.event(at: index), horizon) }
        progress(events, head.rawValue)
      }
    } catch let error as EventStoreError where error.code == .corrupt {
      // What the store itself finds ends the reading there.
      found(nil, error.message)
    }
    if problems.isEmpty, position != head.rawValue, head > horizon {
      found(nil, "expected events up to position \(head), where the log ends, found none after \(position)")
    }
    if problems.isEmpty, let cut = try log.cutCount(), events - late + cut != horizon.rawValue {
      found(
        nil,
        "expected \(horizon) events up to position \(horizon), with those that were cut, found \(events - late) and "
          + "\(cut) that were cut")
    }
    if problems.isEmpty { try checkStreams() }
    times.end()
  }

  private mutating func check(_ event: StoredEvent, _ horizon: Position) {
    events += 1
    types.insert(event.type)
    times.add(
      EventStamp(
        position: event.position.rawValue, transaction: event.transaction, time: event.time.microseconds))
    let (place, number) = (event.position.rawValue, event.transaction)
    if event.position > horizon {
      late += 1
      if place != max(position, horizon.rawValue) + 1 {
        found(event, "expected position \(max(position, horizon.rawValue) + 1), found \(place): events are missing")
      }
      if position > 0, horizon == 0, number != transaction, number != transaction + 1 {
        found(event, "expected transaction \(transaction) or \(transaction + 1), found \(number)")
      }
      let version = versions[event.stream] ?? 0
      if horizon == 0, event.version != version + 1 {
        found(event, "expected version \(version + 1) of stream \"\(event.stream)\", found \(event.version)")
      }
    }
    (position, transaction) = (place, number)
    versions[event.stream] = event.version
    if let payload = event.payload {
      do { _ = try JSONValue(parsing: payload) } catch { found(event, "its payload is no JSON: \(error)") }
    }
    do { try records.apply(type: event.type, payload: event.payload) } catch {
      found(event, "it isn't a valid record event: \(error)")
    }
  }

  /// Compares the versions that the server says with the last ones that were read.
  private mutating func checkStreams() throws {
    let streams = versions.sorted { $0.key < $1.key }
    for start in stride(from: 0, to: streams.count, by: 512) {
      let some = streams[start..<min(start + 512, streams.count)]
      for ((stream, version), answer) in zip(some, try log.versions(of: some.map(\.key))) where answer < version {
        found(nil, "expected version \(version) of stream \"\(stream)\", which its last event has, found \(answer)")
      }
    }
  }

  private mutating func found(_ event: StoredEvent?, _ message: String) {
    problems.append(LogReport.Problem(position: event?.position, message: message))
  }
}
