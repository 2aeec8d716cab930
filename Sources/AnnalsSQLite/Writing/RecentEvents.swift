import Annals

/// The last events that a connection wrote, for those who hear of its commit.
///
/// They ask for them right away. To read them out of the pages that were just written took 16,000 instructions, more
/// than a fourth of what a list does with an event. What was written is kept as it was written: an event is decoded out
/// of it like one that was read, so that a value that does not come back equal shows at once.
///
/// It knows nothing of what other connections do. Its user forgets it once they did something.
struct RecentEvents {
  private struct Entry {
    let event: PreparedAppend.Event
    let typeKey: Int64
    let position: Int
    let transaction: Int
    let stream: StreamName
    let version: Int
  }

  /// How many events are kept.
  static let most = 64
  /// The longest payload that is kept, in bytes, and the longest tags and metadata.
  private static let longest = 4_096

  /// The events in the order of their positions, none missing between them; up to twice as many as are kept.
  private var entries: [Entry] = []
  private var isKeeping = true

  /// Prepares for events that are written together: of many none is kept.
  ///
  /// - Parameter count: How many they are.
  mutating func expect(_ count: Int) {
    isKeeping = count <= Self.most
    if !isKeeping { forget() }
  }

  /// Notes that an event was written.
  ///
  /// What is kept begins with it if it is at another place than the next one. After one that is not kept, nothing is.
  ///
  /// - Parameters:
  ///   - event: The event, with the identity that it has in the log.
  ///   - typeKey: The key of its type.
  ///   - position: Its position.
  ///   - transaction: Its transaction.
  ///   - stream: The name of its stream.
  ///   - version: Its version.
  mutating func note(
    _ event: PreparedAppend.Event, typeKey: Int64, at position: Int, transaction: Int, _ stream: StreamName,
    version: Int
  ) {
    if !isKeeping { return }
    // The values of personal fields are joined with the payload where they are read.
    guard event.personal.isEmpty, event.payload?.utf8.count ?? 0 <= Self.longest,
      event.tagText.utf8.count + event.metadataText.utf8.count <= Self.longest
    else { return forget() }
    if let last = entries.last?.position, last + 1 != position { forget() }
    if entries.count >= 2 * Self.most { entries.removeFirst(Self.most) }
    entries.append(
      Entry(
        event: event, typeKey: typeKey, position: position, transaction: transaction, stream: stream, version: version))
  }

  /// Forgets all events.
  mutating func forget() { entries.removeAll(keepingCapacity: true) }

  /// Some events as a reader would read them; nil if not all of them are kept.
  ///
  /// - Parameters:
  ///   - after: The position before the first one.
  ///   - through: The position of the last one.
  ///   - limit: The most events.
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
