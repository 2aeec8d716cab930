import Foundation

/// A builder that creates a batch of events from the columns that a store reads.
///
/// For every event, add its columns one after the other, followed by the ``EventBatch/Row`` with their locations. Every
/// column ends with the byte 0x1F. In a log of AnnalsSQLite, an event's checksum is computed from exactly these bytes,
/// so the bytes are written once, and the checksum is computed from them without a copy.
///
/// The builder is a class, because with a struct, the closures for names and columns would copy the struct's references
/// for every event.
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

  /// The number of bytes that were written.
  public var byteCount: Int { text.count }

  /// Returns the written bytes after an offset, valid until the next write.
  ///
  /// - Parameter start: The offset, in bytes.
  /// - Returns: The bytes.
  public func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.bytes + start, count: text.count - start)
  }

  /// Adds an event whose columns were already written.
  ///
  /// - Parameter row: The locations of the event's columns.
  public func add(_ row: EventBatch.Row) { rows.append(row) }

  /// Writes a number in decimal.
  ///
  /// - Parameter number: The number.
  public func add(_ number: Int64) {
    text.add(number)
    text.add(0x1F as UInt8)
  }

  /// Writes a string.
  ///
  /// - Parameter source: The string's bytes, UTF-8.
  /// - Returns: The location of the string.
  public func add(_ source: UnsafeRawBufferPointer) -> EventBatch.Stretch {
    let start = text.count
    if let bytes = source.baseAddress { text.add(bytes.assumingMemoryBound(to: UInt8.self), source.count) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: source.count)
  }

  /// Writes the string of an identifier.
  ///
  /// - Parameter id: The identifier.
  /// - Returns: The location of the string.
  package func add(_ id: OrderedID) -> EventBatch.Stretch {
    let start = text.count
    text.add(OrderedID.textCount) { id.write(to: $0) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: OrderedID.textCount)
  }

  /// Writes a marker for a missing value, which isn't the same as an empty string.
  ///
  /// - Returns: The range that represents the missing value.
  public func addNothing() -> EventBatch.Stretch {
    text.add(0x00 as UInt8)
    text.add(0x1F as UInt8)
    return .nothing
  }

  /// Writes the name of a type.
  ///
  /// - Parameters:
  ///   - key: The number by which the store identifies the type.
  ///   - name: A closure that returns the type's name. It is called once for every type.
  /// - Returns: The type's index in the batch's types, or `nil` if `name` returns `nil`.
  public func addType(_ key: Int64, name: () throws -> String?) rethrows -> Int? {
    if let index = typeKeys.lastIndex(of: key) { return addType(at: index) }
    return try name().map { addType(key, $0) }
  }

  /// Writes the name of a known type.
  ///
  /// - Parameters:
  ///   - key: The number by which the store identifies the type.
  ///   - name: The type's name.
  /// - Returns: The type's index in the batch's types.
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

  /// Returns whether a range contains a JSON array.
  ///
  /// - Parameter stretch: The range of bytes.
  /// - Returns: True if the range contains a JSON array.
  public func holdsArray(_ stretch: EventBatch.Stretch) -> Bool { holds(.array, stretch) }

  /// Returns whether a range contains a JSON object.
  ///
  /// - Parameter stretch: The range of bytes.
  /// - Returns: True if the range contains a JSON object.
  public func holdsObject(_ stretch: EventBatch.Stretch) -> Bool { holds(.object, stretch) }

  /// Returns whether a stretch is a JSON value of a kind, without creating the value.
  private func holds(_ kind: JSONTape.Kind, _ stretch: EventBatch.Stretch) -> Bool {
    guard let bytes = text.stretch(stretch) else { return false }
    // Most events have an empty array or object.
    if bytes.count == 2, bytes[0] == UInt8(ascii: kind == .array ? "[" : "{"), bytes[1] == bytes[0] + 2 { return true }
    // The events of an append often have the same metadata.
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

  /// Creates the batch, after which no events can be added.
  ///
  /// - Returns: The batch.
  public func finish() -> EventBatch { EventBatch(rows: rows, types: types, bytes: text) }
}
