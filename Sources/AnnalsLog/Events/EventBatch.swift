import Foundation

/// A batch of a log's events, in the order of their positions, either as values or as the bytes that a store read.
///
/// When a list is rebuilt, it reads up to millions of events. For most of these events, the list needs the payload, but
/// not the name, the identifier and the metadata. Creating these as Swift values for every event would take longer than
/// reading the events. So a store that reads columns as bytes creates a batch with an ``EventBatchBuilder``. The batch
/// then creates Swift values only for code that needs them.
///
/// The class is `@unchecked Sendable`, because the bytes are written before the batch is created, and only read after
/// that.
public final class EventBatch: @unchecked Sendable {
  /// A range of the batch's bytes, which contains one column of an event.
  public struct Stretch: Hashable, Sendable {
    var start: Int32
    /// The number of bytes, or -1 for a missing value, in contrast to 0 for an empty value.
    var count: Int32

    init(start: Int, count: Int) {
      // 32 bits are enough, because SQLite limits an event to less than 2 GB, and a batch, which has a few hundred
      // events, ends before that size.
      self.start = Int32(start)
      self.count = Int32(count)
    }

    static let nothing = Stretch(start: 0, count: -1)
  }

  /// The columns of one event, which a store passes to an ``EventBatchBuilder``.
  ///
  /// Numbers are stored directly. Every other column is stored as a range of the batch's bytes.
  public struct Row: Sendable {
    var position: Int
    var transaction: Int
    var version: Int
    package var schema: Int
    var time: Int64
    var stream: Stretch
    var source: Stretch
    var id: Stretch
    var tags: Stretch
    package var payload: Stretch
    var metadata: Stretch
    /// The index of the type in the batch's types.
    package var type: Int

    /// Creates a row from the columns of an event.
    ///
    /// - Parameters:
    ///   - position: The event's position in the whole log, starting at 1.
    ///   - transaction: The number of the transaction that appended the event, starting at 1.
    ///   - version: The event's version in its stream, starting at 1.
    ///   - schema: The payload's schema number, starting at 1.
    ///   - time: The time of the event, in microseconds since 1970.
    ///   - stream: The name of the event's stream.
    ///   - source: The source in the event's identity (``EventID/source``).
    ///   - id: The identifier in the event's identity, which is unique within the source.
    ///   - tags: The tags, as a JSON array of strings.
    ///   - payload: The payload as JSON, including the values of personal fields (``Personal``). For an event without a
    ///     payload, pass the result of ``EventBatchBuilder/addNothing()``.
    ///   - metadata: The metadata, as a JSON object.
    ///   - type: The index of the event's type, as returned by ``EventBatchBuilder/addType(_:name:)``.
    public init(
      position: Int, transaction: Int, version: Int, schema: Int, time: Int64, stream: Stretch, source: Stretch,
      id: Stretch, tags: Stretch, payload: Stretch, metadata: Stretch, type: Int
    ) {
      self.position = position
      self.transaction = transaction
      self.version = version
      self.schema = schema
      self.time = time
      self.stream = stream
      self.source = source
      self.id = id
      self.tags = tags
      self.payload = payload
      self.metadata = metadata
      self.type = type
    }
  }

  /// The columns of the events, empty in a batch of values.
  package let rows: [Row]
  /// The different names of the events' types.
  package let types: [String]
  /// The events of a batch of values, or nil in a batch of bytes.
  package let values: [StoredEvent]?
  private let bytes: JSONText?

  /// Creates a batch of event values.
  ///
  /// - Parameter events: The events, in the order of their positions.
  public init(_ events: [StoredEvent]) {
    rows = []
    types = []
    values = events
    bytes = nil
  }

  init(rows: [Row], types: [String], bytes: JSONText) {
    self.rows = rows
    self.types = types
    values = nil
    self.bytes = bytes
  }

  /// The number of events.
  public var count: Int { values?.count ?? rows.count }

  /// The position of the last event, or `nil` for an empty batch.
  public var last: Position? { values.map { $0.last?.position } ?? rows.last.map { Position($0.position) } }

  /// The events as Swift values.
  ///
  /// - Complexity: O(n) for n events.
  public var events: [StoredEvent] { values ?? rows.indices.map { event(at: $0) } }

  /// Returns an event as a Swift value.
  ///
  /// - Parameter index: The event's index in the batch, starting at 0.
  /// - Returns: The event.
  public func event(at index: Int) -> StoredEvent {
    if let values { return values[index] }
    let row = rows[index]
    return StoredEvent(
      position: Position(row.position), transaction: row.transaction, stream: stream(row), version: row.version,
      id: id(row), type: types[row.type], schema: row.schema, time: Date(microseconds: row.time),
      tags: Self.tags(text(row.tags)) ?? [], payload: text(row.payload), metadata: metadata(row))
  }

  /// Returns the stored type of an event.
  package func type(at index: Int) -> String { values?[index].type ?? types[rows[index].type] }

  /// Returns the payload of an event.
  package func payload(at index: Int) -> String? { values.map { $0[index].payload } ?? text(rows[index].payload) }

  /// Calls a closure with the bytes of an event's payload, or nil for an event without a payload.
  package func withPayload<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    guard let values else { return try withBytes(rows[index].payload, body) }
    guard var payload = values[index].payload else { return try body(nil) }
    return try payload.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the position and the transaction of an event.
  @inline(__always)
  package func numbers(at index: Int) -> (position: Int, transaction: Int) {
    if let values { return (values[index].position.rawValue, values[index].transaction) }
    return (rows[index].position, rows[index].transaction)
  }

  /// Returns the position, the transaction and the time of an event.
  package func stamp(at index: Int) -> EventStamp {
    let (position, transaction) = numbers(at: index)
    return EventStamp(
      position: position, transaction: transaction,
      time: values.map { $0[index].time.microseconds } ?? rows[index].time)
  }

  /// Returns the index of the first event after a position.
  package func firstIndex(after position: Position) -> Int {
    (0..<count).firstIndexInOrder { numbers(at: $0).position > position.rawValue }
  }
}

extension EventBatch {
  /// Returns the string in a stretch, or nil for a missing value.
  func text(_ stretch: Stretch) -> String? {
    withBytes(stretch) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Calls a closure with the bytes of a stretch.
  func withBytes<Result>(
    _ stretch: Stretch, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    // The batch, and therefore its bytes, must outlive the body.
    try withExtendedLifetime(self) { try body(bytes?.stretch(stretch)) }
  }

  /// Returns the bytes of a stretch, which are valid as long as the batch exists, or nil for a missing value.
  package func bytes(_ stretch: Stretch) -> UnsafeRawBufferPointer? { bytes?.stretch(stretch) }

  func stream(_ row: Row) -> StreamName { StreamName(text(row.stream) ?? "") }
  func id(_ row: Row) -> EventID { EventID(source: text(row.source) ?? "", id: text(row.id) ?? "") }
  func metadata(_ row: Row) -> Metadata { Self.metadata(text(row.metadata)) ?? [:] }

  /// Parses metadata from their stored string, or returns nil for an invalid string.
  package static func metadata(_ text: String?) -> Metadata? {
    guard let text else { return nil }
    return text == "{}" ? [:] : try? Metadata(json: text)
  }

  /// Parses tags from their stored string, or returns nil for an invalid string.
  package static func tags(_ text: String?) -> Set<EventTag>? {
    guard let text else { return nil }
    if text == "[]" { return [] }
    guard case .array(let words)? = try? JSONValue(parsing: text) else { return nil }
    return Set(words.compactMap { if case .string(let word) = $0 { EventTag(word) } else { nil } })
  }
}

extension JSONText {
  /// Returns the bytes of a stretch, which are valid until the next write, or nil for a missing value.
  @inline(__always)
  func stretch(_ stretch: EventBatch.Stretch) -> UnsafeRawBufferPointer? {
    guard stretch.count >= 0 else { return nil }
    precondition(
      Int(stretch.start) + Int(stretch.count) <= count,
      "the byte range must be within this batch; use a range that this batch's builder returned")
    return UnsafeRawBufferPointer(start: bytes + Int(stretch.start), count: Int(stretch.count))
  }
}
