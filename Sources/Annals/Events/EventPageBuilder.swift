import Foundation

/// Makes a page of events out of what a store reads.
///
/// A page's bytes are, event by event, the very text that a log's checksum is made of: each column in its order, ended by the byte
/// 0x1F. So they are written once, summed in one go, and stay where they are.
///
/// A class: closures that are handed to names and columns would copy a value's references, for each event.
package final class EventPageBuilder {
  @exclusivity(unchecked) private var rows: [EventPage.Row] = []
  @exclusivity(unchecked) private var types: [String] = []
  /// What a store calls a type, by the type's place among the page's.
  @exclusivity(unchecked) private var typeKeys: [Int64] = []
  /// The JSON object that was seen last.
  @exclusivity(unchecked) private var lastObject = EventPage.Stretch.nothing
  private let text: JSONText
  private let tape = JSONTape()

  /// Creates a page for so many events.
  package init(capacity: Int) {
    rows.reserveCapacity(capacity)
    text = JSONText(capacity: capacity * 288)
  }

  /// How many bytes were written.
  package var byteCount: Int { text.count }

  /// What was written from a place on; valid until more is written.
  package func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.bytes + start, count: text.count - start)
  }

  /// Adds an event whose columns were written.
  package func add(_ row: EventPage.Row) { rows.append(row) }

  /// Writes a number in decimal.
  package func add(_ number: Int64) {
    text.add(number)
    text.add(0x1F as UInt8)
  }

  /// Writes a text.
  package func add(_ source: UnsafeRawBufferPointer) -> EventPage.Stretch {
    let start = text.count
    if let bytes = source.baseAddress { text.add(bytes.assumingMemoryBound(to: UInt8.self), source.count) }
    text.add(0x1F as UInt8)
    return EventPage.Stretch(start: start, count: source.count)
  }

  /// Writes that there is no text.
  package func addNothing() -> EventPage.Stretch {
    text.add(0x00 as UInt8)
    text.add(0x1F as UInt8)
    return .nothing
  }

  /// Writes the name of a type, and answers its place among the page's types.
  ///
  /// - Parameters:
  ///   - key: What the store calls it.
  ///   - name: Its name, asked for at the first time.
  /// - Returns: The place; nil if the type has no name.
  package func addType(_ key: Int64, name: () throws -> String?) rethrows -> Int? {
    var place = typeKeys.lastIndex(of: key)
    if place == nil {
      guard let name = try name() else { return nil }
      typeKeys.append(key)
      types.append(name)
      place = types.count - 1
    }
    if let place {
      text.add(bare: types[place])
      text.add(0x1F as UInt8)
    }
    return place
  }

  /// Tells whether a stretch is a JSON array.
  package func holdsArray(_ stretch: EventPage.Stretch) -> Bool { holds(.array, stretch) }

  /// Tells whether a stretch is a JSON object.
  package func holdsObject(_ stretch: EventPage.Stretch) -> Bool { holds(.object, stretch) }

  /// Tells whether a stretch is a JSON value of a kind, without making it.
  private func holds(_ kind: JSONTape.Kind, _ stretch: EventPage.Stretch) -> Bool {
    guard let bytes = text.stretch(stretch) else { return false }
    // What most events have: nothing.
    if bytes.count == 2, bytes[0] == UInt8(ascii: kind == .array ? "[" : "{"), bytes[1] == bytes[0] + 2 { return true }
    // The events of an append often say the same of themselves.
    if kind == .object, let last = text.stretch(lastObject), last.count == bytes.count, let one = last.baseAddress,
      let other = bytes.baseAddress, memcmp(one, other, bytes.count) == 0
    {
      return true
    }
    do { try tape.load(bytes) } catch { return false }
    guard tape.kind(JSONTape.root) == kind else { return false }
    if kind == .object { lastObject = stretch }
    return true
  }

  /// The page.
  package func finish() -> EventPage { EventPage(rows: rows, types: types, bytes: text) }
}
