import Foundation

/// Makes a batch of events out of the columns that a store reads.
///
/// For each event, add its columns one after the other, and then the ``EventBatch/Row`` that says where they are. The
/// byte 0x1F ends each column. In a log of AnnalsSQLite these bytes are the very text that an event's checksum is made
/// of: they are written once, summed in one go, and stay where they are.
///
/// A class: closures that are handed to names and columns would copy a value's references, for each event.
public final class EventBatchBuilder {
  @exclusivity(unchecked) private var rows: [EventBatch.Row] = []
  @exclusivity(unchecked) private var types: [String] = []
  /// The number by which the store knows a type, by the type's index.
  @exclusivity(unchecked) private var typeKeys: [Int64] = []
  /// The JSON object that was seen last.
  @exclusivity(unchecked) private var lastObject = EventBatch.Stretch.nothing
  private let text: JSONText
  private let tape = JSONTape()

  /// Creates a builder.
  ///
  /// - Parameter capacity: The number of events to make room for.
  public init(capacity: Int) {
    rows.reserveCapacity(capacity)
    text = JSONText(capacity: capacity * 288)
  }

  /// The number of bytes that were written.
  public var byteCount: Int { text.count }

  /// The bytes that were written from some on; valid until more is written.
  ///
  /// - Parameter start: The number of bytes before them.
  /// - Returns: The bytes.
  public func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.bytes + start, count: text.count - start)
  }

  /// Adds an event whose columns were written.
  ///
  /// - Parameter row: Where its columns are.
  public func add(_ row: EventBatch.Row) { rows.append(row) }

  /// Writes a number in decimal.
  ///
  /// - Parameter number: The number.
  public func add(_ number: Int64) {
    text.add(number)
    text.add(0x1F as UInt8)
  }

  /// Writes a text.
  ///
  /// - Parameter source: The text's bytes, UTF-8.
  /// - Returns: Where they are.
  public func add(_ source: UnsafeRawBufferPointer) -> EventBatch.Stretch {
    let start = text.count
    if let bytes = source.baseAddress { text.add(bytes.assumingMemoryBound(to: UInt8.self), source.count) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: source.count)
  }

  /// Writes the text of an identifier.
  ///
  /// - Parameter id: The identifier.
  /// - Returns: Where the text is.
  package func add(_ id: OrderedID) -> EventBatch.Stretch {
    let start = text.count
    text.add(OrderedID.textCount) { id.write(to: $0) }
    text.add(0x1F as UInt8)
    return EventBatch.Stretch(start: start, count: OrderedID.textCount)
  }

  /// Writes that there is no text, which is not the same as an empty one.
  ///
  /// - Returns: What stands for it.
  public func addNothing() -> EventBatch.Stretch {
    text.add(0x00 as UInt8)
    text.add(0x1F as UInt8)
    return .nothing
  }

  /// Writes the name of a type.
  ///
  /// - Parameters:
  ///   - key: The number by which the store knows the type.
  ///   - name: Answers its name, called once for each type.
  /// - Returns: The type's index among the batch's types; nil if it has no name.
  public func addType(_ key: Int64, name: () throws -> String?) rethrows -> Int? {
    if let index = typeKeys.lastIndex(of: key) { return addType(at: index) }
    return try name().map { addType(key, $0) }
  }

  /// Writes the name of a type that is known.
  ///
  /// - Parameters:
  ///   - key: The number by which the store knows the type.
  ///   - name: Its name.
  /// - Returns: The type's index among the batch's types.
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

  /// Tells whether a stretch is a JSON array.
  ///
  /// - Parameter stretch: The stretch.
  /// - Returns: True if it is.
  public func holdsArray(_ stretch: EventBatch.Stretch) -> Bool { holds(.array, stretch) }

  /// Tells whether a stretch is a JSON object.
  ///
  /// - Parameter stretch: The stretch.
  /// - Returns: True if it is.
  public func holdsObject(_ stretch: EventBatch.Stretch) -> Bool { holds(.object, stretch) }

  /// Tells whether a stretch is a JSON value of a kind, without making it.
  private func holds(_ kind: JSONTape.Kind, _ stretch: EventBatch.Stretch) -> Bool {
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

  /// Makes the batch; nothing can be added afterwards.
  ///
  /// - Returns: The batch.
  public func finish() -> EventBatch { EventBatch(rows: rows, types: types, bytes: text) }
}
