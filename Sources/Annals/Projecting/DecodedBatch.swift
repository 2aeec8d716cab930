import AnnalsLog

/// A batch of consecutive events, decoded up to the first event that can't be decoded.
struct DecodedBatch<E: Event>: Sendable {
  /// The source of the events.
  private let source: EventBatch
  /// The index in the source of the first decoded event.
  private let start: Int
  /// The decoded events, in the order of the stored events.
  private(set) var events: [E] = []
  /// For every stored event, the index in `events` after its decoded events.
  ///
  /// A stored event of another type has no decoded event. A stored event that an upcaster splits has several.
  private(set) var ends: [Int] = []
  /// The error from decoding the stored event after the decoded events, or `nil`.
  private(set) var failure: (any Error)?

  /// Decodes the events of a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - indices: The indices of the events to decode.
  ///   - coder: The coder for the events, which caches their stored types.
  ///   - policy: The policy for unknown and newer events.
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
      // Usually the kind is the same as before. Rereading it would change the reference counts of its strings.
      if row.type != last { (last, kind) = (row.type, kinds[row.type]) }
      let bytes = batch.bytes(row.payload)
      if let slot = kind.slot, row.schema <= schema {
        try coder.read(in: slot, type: kind.type, bytes: bytes, into: &events)
      } else {
        try coder.read(
          kind.known, type: kind.type, schema: row.schema, bytes: bytes, policy, context: batch.context(row),
          into: &events)
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
          known, type: event.type, schema: event.schema, bytes: UnsafeRawBufferPointer(bytes), policy,
          context: Upcaster.Context(stream: event.stream, time: event.time, metadata: event.metadata), into: &events)
      }
      ends.append(events.count)
    }
  }
}

extension DecodedBatch {
  /// The number of stored events, including the event that can't be decoded.
  var count: Int { ends.count + (failure == nil ? 0 : 1) }

  /// Returns the position and the transaction of a stored event.
  @inline(__always)
  func numbers(at index: Int) -> (position: Int, transaction: Int) { source.numbers(at: start + index) }

  /// Returns a stored event as a value.
  func stored(_ index: Int) -> StoredEvent { source.event(at: start + index) }

  /// Returns an event with its metadata from the log.
  @inline(__always)
  func recorded(_ event: Int, of index: Int) -> Recorded<E> { Recorded(events[event], source, start + index) }
}
