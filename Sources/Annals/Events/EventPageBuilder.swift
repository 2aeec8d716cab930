/// Makes a page of events out of what a store reads.
package struct EventPageBuilder {
  private var rows: [EventPage.Row] = []
  private var types: [String] = []
  /// What a store calls a type, by the type's place among the page's.
  private var typeKeys: [Int64] = []
  package private(set) var bytes: [UInt8] = []
  private let tape = PayloadTape()

  package init(capacity: Int) {
    rows.reserveCapacity(capacity)
    bytes.reserveCapacity(capacity * 256)
  }

  /// The number of events so far.
  package var count: Int { rows.count }

  package mutating func add(_ row: EventPage.Row) { rows.append(row) }

  /// The place of a type among the page's.
  ///
  /// - Parameters:
  ///   - key: What the store calls it.
  ///   - name: Its name, asked for at the first time.
  /// - Returns: The place; nil if the type has no name.
  package mutating func type(_ key: Int64, name: () throws -> String?) rethrows -> Int? {
    if let known = typeKeys.lastIndex(of: key) { return known }
    guard let name = try name() else { return nil }
    typeKeys.append(key)
    types.append(name)
    return types.count - 1
  }

  /// The name of a type that was added.
  package func typeName(_ type: Int) -> String { types[type] }

  /// Copies bytes onto the page.
  @inline(__always)
  package mutating func add(_ source: UnsafeRawBufferPointer) -> EventPage.Stretch {
    let start = bytes.count
    bytes.append(contentsOf: source)
    return EventPage.Stretch(start: start, count: source.count)
  }

  /// Tells whether a stretch is a JSON value of a kind, without making it.
  private func holds(_ kind: PayloadTape.Kind, _ stretch: EventPage.Stretch) -> Bool {
    bytes.withUnsafeBytes { all in
      let text = UnsafeRawBufferPointer(rebasing: all[Int(stretch.start)..<Int(stretch.start + stretch.count)])
      // What most events have: nothing.
      if text.count == 2 { return text[0] == UInt8(ascii: kind == .array ? "[" : "{") && text[1] == text[0] + 2 }
      do { try tape.load(text) } catch { return false }
      return tape.kind(PayloadTape.root) == kind
    }
  }

  /// Tells whether a stretch is a JSON array.
  package func holdsArray(_ stretch: EventPage.Stretch) -> Bool { holds(.array, stretch) }

  /// Tells whether a stretch is a JSON object.
  package func holdsObject(_ stretch: EventPage.Stretch) -> Bool { holds(.object, stretch) }

  /// The page.
  package consuming func finish() -> EventPage { EventPage(rows: rows, types: types, bytes: bytes) }
}
