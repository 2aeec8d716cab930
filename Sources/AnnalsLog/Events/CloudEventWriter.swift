package import Foundation

/// A writer that converts a log's events to consecutive lines of CloudEvents JSON, directly from the bytes that a store
/// read.
///
/// An event value is created only if the event's metadata or tags need a closer check. Add all events of a log in the
/// order of their positions, because the writer labels a transaction by its first event.
package struct CloudEventWriter {
  private let text = JSONText(capacity: 1 << 16)
  private let tape = JSONTape()
  /// The last transaction, and its JSON label for events without their own label.
  private var (transaction, label): (Int?, String) = (nil, "")
  /// The label of the last line, as JSON.
  private var lastLabel: [UInt8] = []

  /// Creates a writer without output.
  package init() {}

  /// The number of written bytes that ``take()`` hasn't returned yet.
  package var byteCount: Int { text.count }

  /// Returns the written lines with their line ends, and removes them from the writer.
  package mutating func take() -> Data {
    defer { text.clear() }
    return Data(bytes: text.bytes, count: text.count)
  }

  /// Writes the line for an event in a batch.
  package mutating func add(_ batch: EventBatch, at index: Int) {
    let start = text.count
    if batch.values == nil, addQuickly(batch, batch.rows[index]) { return }
    text.cut(to: start)
    let event = batch.event(at: index)
    begin(event.transaction, firstID: event.id.id)
    let own = event.metadata.sorted.first { ExactString.exactlyEqual($0.name, "transaction") }?.json
    let plain: String
    if case .string(let word)? = try? JSONValue(parsing: label) { plain = word } else { plain = event.id.id }
    text.add(bare: CloudEvent.line(event, transaction: plain))
    text.add(UInt8(ascii: "\n"))
    lastLabel = Array((own ?? label).utf8)
  }

  /// Begins a transaction, which is labeled by its first event's id, unless it is already the current transaction.
  ///
  /// Events of two sources can have the same id, but their transactions must stay separate. So the label ends with an
  /// apostrophe if it would otherwise equal the previous line's label.
  private mutating func begin(_ transaction: Int, firstID: @autoclosure () -> String) {
    if self.transaction == transaction { return }
    self.transaction = transaction
    var word = firstID()
    while isLast(word) { word += "'" }
    label = JSONValue.quoted(word)
  }

  /// True if the last line's label equals the string.
  private func isLast(_ word: String) -> Bool {
    if lastLabel.isEmpty { return false }
    if lastLabel.elementsEqual(JSONValue.quoted(word).utf8) { return true }
    // The label of an imported line is kept in its original form, which may contain escapes.
    guard lastLabel.contains(UInt8(ascii: "\\")) else { return false }
    return (try? JSONValue(parsing: String(decoding: lastLabel, as: UTF8.self))) == .string(word)
  }

  /// Writes a line and returns true, or returns false if the event needs a closer check.
  ///
  /// If the result is false, a part of the line might have been written.
  private mutating func addQuickly(_ batch: EventBatch, _ row: EventBatch.Row) -> Bool {
    guard batch.bytes(row.tags)?.count == 2, let id = batch.bytes(row.id), let source = batch.bytes(row.source),
      let stream = batch.bytes(row.stream), let metadata = batch.bytes(row.metadata)
    else { return false }
    begin(row.transaction, firstID: String(decoding: id, as: UTF8.self))
    text.add("{\"specversion\":\"1.0\",\"id\":")
    text.add(quoted: id, .numbered)
    text.add(",\"source\":")
    text.add(quoted: source, .numbered)
    text.add(",\"type\":")
    text.add(quoted: batch.types[row.type], .numbered)
    text.add(",\"subject\":")
    text.add(quoted: stream, .numbered)
    text.add(",\"time\":\"")
    RFC3339.write(microseconds: Date(microseconds: row.time).microseconds, to: text)
    text.add("\",\"transaction\":")
    guard addMetadata(metadata, row) else { return false }
    if let payload = batch.bytes(row.payload) {
      text.add(",\"data\":")
      let first = text.count
      if let bytes = payload.baseAddress { text.add(bytes.assumingMemoryBound(to: UInt8.self), payload.count) }
      text.putOnOneLine(from: first)
    }
    text.add("}\n")
    return true
  }

  /// Writes the transaction's label, the position, the schema number, and the other metadata in their stored form.
  private mutating func addMetadata(_ metadata: UnsafeRawBufferPointer, _ row: EventBatch.Row) -> Bool {
    let start = text.count
    func noteLabel() {
      lastLabel.removeAll(keepingCapacity: true)
      lastLabel.append(contentsOf: UnsafeBufferPointer(start: text.bytes + start, count: text.count - start))
    }
    func addNumbers() {
      text.add(",\"position\":")
      text.add(Int64(row.position))
      if row.schema != 1 {
        text.add(",\"schemaversion\":")
        text.add(Int64(row.schema))
      }
    }
    if metadata.count == 2 {
      text.add(bare: label)
      noteLabel()
      addNumbers()
      return true
    }
    do { try tape.load(metadata, strictly: true, keeping: .members) } catch { return false }
    guard tape.kind(JSONTape.root) == .object else { return false }
    var own: Range<Int>?
    var last: UnsafeBufferPointer<UInt8>?
    // Accept only names that are in the order of a line, and have no other meaning in a line.
    var key = JSONTape.root + 1
    let end = Int(tape.tokens[JSONTape.root].next)
    while key < end {
      guard tape.kind(key) == .plain else { return false }
      let name = tape.text(key)
      if let last, !last.lexicographicallyPrecedes(name) { return false }
      last = name
      if CloudEvent.isOwn(name) { return false }
      if name.elementsEqual("transaction".utf8) { own = tape.range(of: key + 1) }
      key = Int(tape.tokens[key + 1].next)
    }
    if let own { add(own) } else { text.add(bare: label) }
    noteLabel()
    addNumbers()
    key = JSONTape.root + 1
    while key < end {
      let value = tape.range(of: key + 1)
      if value != own {
        text.add(UInt8(ascii: ","))
        add(tape.range(of: key))
        text.add(UInt8(ascii: ":"))
        add(value)
      }
      key = Int(tape.tokens[key + 1].next)
    }
    return true
  }

  private func add(_ range: Range<Int>) { text.add(tape.bytes + range.lowerBound, range.count) }
}

extension CloudEvent {
  /// Returns whether a name belongs to an attribute that is written from the event itself, except for `transaction`.
  fileprivate static func isOwn(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    ownNames.contains { own in
      UnsafeBufferPointer(start: own.utf8Start, count: own.utf8CodeUnitCount).elementsEqual(name)
    }
  }

  private static let ownNames: [StaticString] = [
    "specversion", "id", "source", "type", "subject", "position", "data", "time", "tags", "schemaversion",
  ]
}

extension JSONText {
  /// Replaces line ends after an offset with spaces, because JSON contains line ends only between its tokens.
  fileprivate func putOnOneLine(from start: Int) {
    for end: Int32 in [0x0A, 0x0D] {
      var offset = start
      while offset < count, let found = memchr(bytes + offset, end, count - offset) {
        found.storeBytes(of: 0x20, as: UInt8.self)
        offset = UnsafeMutableRawPointer(bytes).distance(to: found) + 1
      }
    }
  }
}
