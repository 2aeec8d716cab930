import Foundation

/// Events as a store has them: numbers, and texts as bytes, of which values are made only for who asks.
///
/// A rebuild reads millions of events and asks most of them for nothing but their payload: a name, an identifier or metadata as
/// values of their own would cost it more than the reading.
///
/// `@unchecked Sendable`: the bytes are written before the page is made, and only read after that.
package final class EventPage: @unchecked Sendable {
  /// A stretch of the page's bytes.
  package struct Stretch: Sendable {
    package var start: Int32
    /// -1 for nothing, which is not the same as no bytes.
    package var count: Int32

    package init(start: Int, count: Int) {
      // A page is made of a few hundred events; SQLite's own limit of one is below 2 GB, and pages are cut before that.
      (self.start, self.count) = (Int32(start), Int32(count))
    }

    package static let nothing = Stretch(start: 0, count: -1)
  }

  /// An event's columns.
  package struct Row: Sendable {
    package var position: Int
    package var transaction: Int
    package var version: Int
    package var schema: Int
    package var time: Int64
    package var stream: Stretch
    package var source: Stretch
    package var id: Stretch
    package var tags: Stretch
    package var payload: Stretch
    package var metadata: Stretch
    /// Which of the page's types.
    package var type: Int

    package init(
      position: Int, transaction: Int, version: Int, schema: Int, time: Int64, stream: Stretch, source: Stretch,
      id: Stretch, tags: Stretch, payload: Stretch, metadata: Stretch, type: Int
    ) {
      (self.position, self.transaction, self.version, self.schema) = (position, transaction, version, schema)
      (self.time, self.stream, self.source, self.id) = (time, stream, source, id)
      (self.tags, self.payload, self.metadata, self.type) = (tags, payload, metadata, type)
    }
  }

  package let rows: [Row]
  /// The names of types, of which the events have a few.
  package let types: [String]
  private let bytes: JSONText

  init(rows: [Row], types: [String], bytes: JSONText) {
    (self.rows, self.types, self.bytes) = (rows, types, bytes)
  }

  /// The text of a stretch; nil of nothing.
  func text(_ stretch: Stretch) -> String? {
    withBytes(stretch) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Hands over the bytes of a stretch.
  func withBytes<Result>(
    _ stretch: Stretch, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    // The page outlives the body, and with it its bytes.
    try withExtendedLifetime(self) { try body(bytes.stretch(stretch)) }
  }

  /// The bytes of a stretch, nil of nothing; valid as long as the page is.
  func bytes(_ stretch: Stretch) -> UnsafeRawBufferPointer? { bytes.stretch(stretch) }

  func stream(_ row: Row) -> StreamName { StreamName(text(row.stream) ?? "") }
  func id(_ row: Row) -> EventID { EventID(source: text(row.source) ?? "", id: text(row.id) ?? "") }
  func metadata(_ row: Row) -> Metadata { Self.metadata(text(row.metadata)) ?? [:] }

  /// The metadata of their text; nil if it is none.
  package static func metadata(_ text: String?) -> Metadata? {
    guard let text else { return nil }
    return text == "{}" ? [:] : try? Metadata(json: text)
  }

  /// The tags of their text; nil if it is none.
  package static func tags(_ text: String?) -> Set<EventTag>? {
    guard let text else { return nil }
    if text == "[]" { return [] }
    guard case .array(let words)? = try? JSONValue(parsing: text) else { return nil }
    return Set(words.compactMap { if case .string(let word) = $0 { EventTag(word) } else { nil } })
  }

  /// The whole event.
  package func stored(_ index: Int) -> StoredEvent {
    let row = rows[index]
    return StoredEvent(
      position: Position(row.position), transaction: row.transaction, stream: stream(row), version: row.version,
      id: id(row), type: types[row.type], schema: row.schema, time: Date(microseconds: row.time),
      tags: Self.tags(text(row.tags)) ?? [], payload: text(row.payload), metadata: metadata(row))
  }
}

extension JSONText {
  /// The bytes of a stretch, nil of nothing; valid until more is written.
  @inline(__always)
  func stretch(_ stretch: EventPage.Stretch) -> UnsafeRawBufferPointer? {
    guard stretch.count >= 0 else { return nil }
    precondition(Int(stretch.start) + Int(stretch.count) <= count, "a stretch of another page")
    return UnsafeRawBufferPointer(start: bytes + Int(stretch.start), count: Int(stretch.count))
  }
}

/// A store that hands over its events as pages of bytes.
package protocol PagedEventStore: EventStore {
  /// Reads a page of the log, checked as `events` checks it.
  ///
  /// - Parameters:
  ///   - after: The position after which to start.
  ///   - through: The last position to read.
  ///   - limit: The largest number of events to return.
  /// - Returns: The page; fewer events than `limit` where they are large, and at the end of the stretch. Without any, there are no more.
  /// - Throws: `EventStoreError`.
  func page(after: Position, through: Position, limit: Int) throws -> EventPage
}
