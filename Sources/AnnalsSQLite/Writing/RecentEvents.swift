import AnnalsLog

/// The last events that a connection wrote, for lists and other readers that are notified of the connection's commits.
///
/// These readers read the events immediately. Reading the events from the pages that were just written took 16,000
/// instructions, more than a quarter of a list's work on an event. The cache stores events as they were written, and
/// readers decode them in the same way as events from the log. So a value that is decoded incorrectly is noticed
/// immediately.
///
/// The cache isn't notified of other connections' commits, so its owner must clear it after them.
struct RecentEvents {
  private struct Entry {
    let event: PreparedAppend.Event
    let typeKey: Int64
    let position: Int
    let transaction: Int
    let stream: StreamName
    let version: Int
  }

  /// The maximum number of kept events.
  static let most = 64
  /// The maximum size in bytes of a kept payload, and of a kept event's tags and metadata together.
  private static let longest = 4_096

  /// The events in the order of their positions, without gaps.
  ///
  /// At most twice the maximum number are stored.
  private var entries: [Entry] = []
  private var isKeeping = true

  /// Prepares the cache for events that are written together.
  ///
  /// If the number of events is greater than ``most``, the events are not kept.
  ///
  /// - Parameter count: The number of events that are about to be written.
  mutating func expect(_ count: Int) {
    isKeeping = count <= Self.most
    if !isKeeping { forget() }
  }

  /// Adds an event that was written.
  ///
  /// If the event's position does not follow the last kept position, the cache is cleared first. An event that is too
  /// large or has personal fields is not added, and clears the cache.
  ///
  /// - Parameters:
  ///   - event: The event, with the identity that it has in the log.
  ///   - typeKey: The key of its type.
  ///   - position: The event's position.
  ///   - transaction: The number of the transaction.
  ///   - stream: The name of the stream.
  ///   - version: The event's version in the stream.
  mutating func note(
    _ event: PreparedAppend.Event, typeKey: Int64, at position: Int, transaction: Int, _ stream: StreamName,
    version: Int
  ) {
    if !isKeeping { return }
    // The values of personal fields are joined with the payload when they are read.
    guard event.personal.isEmpty, event.payload?.utf8.count ?? 0 <= Self.longest,
      event.tagText.utf8.count + event.metadataText.utf8.count <= Self.longest
    else { return forget() }
    if let last = entries.last?.position, last + 1 != position { forget() }
    if entries.count >= 2 * Self.most { entries.removeFirst(Self.most) }
    entries.append(
      Entry(
        event: event, typeKey: typeKey, position: position, transaction: transaction, stream: stream, version: version))
  }

  /// Clears the cache.
  mutating func forget() { entries.removeAll(keepingCapacity: true) }

  /// Returns the batch that a read of the log would return, or `nil` if some of its events are not kept.
  ///
  /// - Parameters:
  ///   - after: The position before the first event.
  ///   - through: The position of the last event.
  ///   - limit: The maximum number of events.
  /// - Returns: The events.
  func batch(after: Position, through: Position, limit: Int) -> EventBatch? {
    guard let first = entries.first?.position, after.rawValue >= first - 1,
      through.rawValue == first + entries.count - 1, after < through
    else { return nil }
    let start = after.rawValue - (first - 1)
    let end = start + min(entries.count - start, limit)
    let batch = EventBatchBuilder(capacity: end - start)
    for entry in entries[start..<end] { Self.add(entry, to: batch) }
    return batch.finish()
  }

  private static func add(_ entry: Entry, to batch: EventBatchBuilder) {
    let event = entry.event
    batch.add(
      EventBatch.Row(
        position: entry.position, transaction: entry.transaction, version: entry.version, schema: event.schema,
        time: event.time, stream: batch.add(entry.stream.text), source: batch.add(event.id.source),
        id: batch.add(event.id.id), tags: batch.add(event.tagText),
        payload: event.payload.map { batch.add($0) } ?? batch.addNothing(), metadata: batch.add(event.metadataText),
        type: batch.addType(entry.typeKey, event.type)))
  }
}

extension EventBatchBuilder {
  fileprivate func add(_ text: String) -> EventBatch.Stretch {
    var text = text
    return text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }
}
