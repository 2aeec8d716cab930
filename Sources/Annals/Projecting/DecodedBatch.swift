/// Some events of a log in order, decoded up to the first that cannot be.
struct DecodedBatch<E: Event>: Sendable {
  /// Where the events come from.
  private let source: EventBatch
  /// The index in the source of the first event that was decoded.
  private let start: Int
  /// The events, those of one stored event after those of the one before.
  private(set) var events: [E] = []
  /// By stored event: where its events end.
  ///
  /// One that is no event of the type has none, one that a step split has several.
  private(set) var ends: [Int] = []
  /// Why the stored event after the decoded ones cannot be decoded; nil if there is none.
  private(set) var failure: (any Error)?

  /// Decodes the events of a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - indices: Which of its events.
  ///   - coder: Decodes the events, and keeps what it learns of their types.
  ///   - policy: What becomes of unknown and newer events.
  init(_ batch: EventBatch, _ indices: Range<Int>, with coder: inout EventCoder<E>, _ policy: ReadingPolicy) {
    source = batch
    start = indices.lowerBound
    events.reserveCapacity(indices.count)
    ends.reserveCapacity(indices.count)
    do {
      if let values = batch.values {
        try decode(values[indices], with: &coder, policy)
      } else {
        try decode(batch.rows[indices], with: &coder, policy)
      }
    } catch {
      failure = error
    }
  }

  private mutating func decode(
    _ rows: ArraySlice<EventBatch.Row>, with coder: inout EventCoder<E>, _ policy: ReadingPolicy
  ) throws {
    let batch = source
    // The batch outlives the loop.
    defer { extendLifetime(batch) }
    let kinds = batch.types.map { type in
      let known = coder.known(type)
      return (type: type, known: known, slot: coder.slot(of: known))
    }
    guard let first = rows.first else { return }
    var (last, kind) = (first.type, kinds[first.type])
    let schema = coder.schema
    for row in rows {
      // Mostly the kind of the one before: it holds some texts, whose references are counted when it is taken.
      if row.type != last { (last, kind) = (row.type, kinds[row.type]) }
      let bytes = batch.bytes(row.payload)
      if let slot = kind.slot, row.schema <= schema {
        try coder.read(in: slot, type: kind.type, bytes: bytes, into: &events)
      } else {
        try coder.read(kind.known, type: kind.type, schema: row.schema, bytes: bytes, policy, into: &events)
      }
      ends.append(events.count)
    }
  }

  private mutating func decode(
    _ values: ArraySlice<StoredEvent>, with coder: inout EventCoder<E>, _ policy: ReadingPolicy
  ) throws {
    for event in values {
      let known = coder.known(event.type)
      var payload = event.payload ?? "{}"
      try payload.withUTF8 { bytes in
        try coder.read(
          known, type: event.type, schema: event.schema, bytes: UnsafeRawBufferPointer(bytes), policy, into: &events)
      }
      ends.append(events.count)
    }
  }
}

extension DecodedBatch {
  /// The number of stored events, the one that cannot be decoded with them.
  var count: Int { ends.count + (failure == nil ? 0 : 1) }

  /// The position and the transaction of a stored event.
  @inline(__always)
  func numbers(at index: Int) -> (position: Int, transaction: Int) { source.numbers(at: start + index) }

  /// A stored event as a value.
  func stored(_ index: Int) -> StoredEvent { source.event(at: start + index) }

  /// An event with what its log says of it.
  @inline(__always)
  func recorded(_ event: Int, of index: Int) -> Recorded<E> { Recorded(events[event], source, start + index) }
}
