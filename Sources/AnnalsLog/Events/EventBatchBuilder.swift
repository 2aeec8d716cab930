import Foundation

/// A builder that creates an ``EventBatch`` from the column values that a store reads.
///
/// For every event, add the column values one after the other. Then add an ``EventBatch/Row`` with their locations. The
/// builder writes all values into one buffer, with the byte 0x1F after every value. AnnalsSQLite computes an event's
/// checksum from the event's bytes in this buffer, so AnnalsSQLite doesn't copy the values for the checksum.
///
/// The builder is a class for speed. If the builder were a struct, closures that use the builder would copy all
/// references in the struct for every event.
public final class EventBatchBuilder {
  @exclusivity(unchecked) private var rows: [EventBatch.Row] = []
  @exclusivity(unchecked) private var types: [String] = []
  /// The numbers by which the store identifies the types, in the order of the types' indices.
  @exclusivity(unchecked) private var typeKeys: [Int64] = []
  /// The last JSON object that was checked.
  @exclusivity(unchecked) private var lastObject = EventBatch.Stretch.nothing
  private let text: JSONText
  private let tape = JSONTape()

  /// Creates a builder.
  ///
  /// - Parameter capacity: The number of events for which to reserve memory.
  public init(capacity: Int) {
    rows.reserveCapacity(capacity)
    text = JSONText(capacity: capacity * 288)
  }

  /// The number of bytes written so far.
  public var byteCount: Int { text.count }

  /// Returns the written bytes from an offset to the end.
  ///
  /// - Parameter start: The offset of the first byte, starting at 0.
  /// - Returns: The bytes, which are valid only until the next write.
  public func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.bytes + start, count: text.count - start)
  }

  /// Adds an event to the batch.
  ///
  /// Write the event's column values before this call, because the row contains their locations.
  ///
  /// - Parameter row: The event's numbers, and the locations of its other column values.
  public func add(_ row: EventBatch.Row) { rows.append(row) }

  /// Writes a number as decimal digits.
  ///
  /// - Parameter number: The number.
  public func add(_ number: Int64) {
    text.add(number)
    text.add(0x1F as UInt8)
  }

  /// Writes a string.
  ///
  /// - Parameter source: The string's UTF-8 bytes.
  /// - Returns: The string's location.
  public func add(_ source: UnsafeRawBufferPointer) -> EventBatch.Stretch {
    let start = text.count
    if let bytes = source.baseAddress { text.add(bytes.assumingMemoryBound(to: UInt8.self), source.count) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: source.count)
  }

  /// Writes an identifier as a string.
  ///
  /// - Parameter id: The identifier.
  /// - Returns: The string's location.
  package func add(_ id: OrderedID) -> EventBatch.Stretch {
    let start = text.count
    text.add(OrderedID.textCount) { id.write(to: $0) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: OrderedID.textCount)
  }

  /// Writes a marker for a missing value, for example for the payload of an event that has no payload.
  ///
  /// The batch distinguishes a missing value from an empty string.
  ///
  /// - Returns: A range that represents the missing value.
  public func addNothing() -> EventBatch.Stretch {
    text.add(0x00 as UInt8)
    text.add(0x1F as UInt8)
    return .nothing
  }

  /// Writes the name of an event's type, and returns the type's index, which the event's ``EventBatch/Row`` needs.
  ///
  /// - Parameters:
  ///   - key: The number by which the store identifies the type.
  ///   - name: A closure that returns the type's name. The builder calls it only if the type isn't in the batch's list
  ///     of types yet.
  /// - Returns: The type's index in the batch's list of types, or `nil` if `name` returns `nil`.
  public func addType(_ key: Int64, name: () throws -> String?) rethrows -> Int? {
    if let index = typeKeys.lastIndex(of: key) { return addType(at: index) }
    return try name().map { addType(key, $0) }
  }

  /// Writes the name of an event type that the caller knows.
  ///
  /// - Parameters:
  ///   - key: The number by which the store identifies the type.
  ///   - name: The type's name.
  /// - Returns: The type's index in the batch's list of types.
  package func addType(_ key: Int64, _ name: String) -> Int {
    if let index = typeKeys.lastIndex(of: key) { return addType(at: index) }
    typeKeys.append(key)
    types.append(name)
    return addType(at: types.count - 1)
  }

  private func addType(at index: Int) -> Int {
    text.add(bare: types[index])
    text.add(0x1F as UInt8)
    return index
  }

  /// Returns whether the bytes in a range are a JSON array.
  ///
  /// - Parameter stretch: The range of bytes, as returned when the bytes were written.
  /// - Returns: True if the bytes are one JSON array.
  public func holdsArray(_ stretch: EventBatch.Stretch) -> Bool { holds(.array, stretch) }

  /// Returns whether the bytes in a range are a JSON object.
  ///
  /// - Parameter stretch: The range of bytes, as returned when the bytes were written.
  /// - Returns: True if the bytes are one JSON object.
  public func holdsObject(_ stretch: EventBatch.Stretch) -> Bool { holds(.object, stretch) }

  /// Returns whether a stretch is a JSON value of a kind, without creating the value.
  private func holds(_ kind: JSONTape.Kind, _ stretch: EventBatch.Stretch) -> Bool {
    guard let bytes = text.stretch(stretch) else { return false }
    // Most events have an empty array or object.
    if bytes.count == 2, bytes[0] == UInt8(ascii: kind == .array ? "[" : "{"), bytes[1] == bytes[0] + 2 { return true }
    // The events of an append often have the same metadata.
    if kind == .object, let last = text.stretch(lastObject), Self.areSame(last, bytes) { return true }
    do { try tape.load(bytes) } catch { return false }
    guard tape.kind(JSONTape.root) == kind else { return false }
    if kind == .object { lastObject = stretch }
    return true
  }

  /// Returns whether the bytes in a range are JSON that follows all rules for a payload.
  ///
  /// - Parameter stretch: The range of bytes, as returned when the bytes were written.
  /// - Returns: True if the bytes are one JSON value, and the names in an object are unique.
  package func holdsStrictJSON(_ stretch: EventBatch.Stretch) -> Bool {
    guard let bytes = text.stretch(stretch) else { return false }
    do { try tape.load(bytes, strictly: true, keeping: .nothing) } catch { return false }
    return true
  }

  /// Returns whether two ranges contain the same bytes.
  ///
  /// - Parameters:
  ///   - some: A range of bytes, as returned when the bytes were written.
  ///   - other: Another range.
  /// - Returns: True if the bytes are equal.
  package func areEqual(_ some: EventBatch.Stretch, _ other: EventBatch.Stretch) -> Bool {
    guard let some = text.stretch(some), let other = text.stretch(other) else { return false }
    return Self.areSame(some, other)
  }

  private static func areSame(_ some: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard some.count == other.count, let first = some.baseAddress, let second = other.baseAddress else { return false }
    return memcmp(first, second, some.count) == 0
  }

  /// Creates the batch from all added events.
  ///
  /// Don't use the builder after this call.
  ///
  /// - Returns: The batch.
  public func finish() -> EventBatch { EventBatch(rows: rows, types: types, bytes: text) }
}
