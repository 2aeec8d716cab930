/// Some events of a log in order, decoded up to the first that cannot be.
struct DecodedPage<E: Event>: Sendable {
  /// Where the events come from.
  let source: RawPage
  /// The events, those of one stored event after those of the one before.
  private(set) var events: [E] = []
  /// By stored event: where its events end.
  ///
  /// One that is no event of the type has none, one that a step split has several.
  private(set) var ends: [Int] = []
  /// Why the stored event after the decoded ones cannot be decoded; nil if there is none.
  private(set) var failure: (any Error)?

  /// Decodes a page that a store read as bytes.
  init(_ page: EventPage, with coder: inout EventCoder<E>, _ policy: ReadingPolicy) {
    source = .page(page)
    let known = page.types.map { coder.known($0) }
    reserve(page.rows.count)
    do {
      for row in page.rows {
        // The page outlives the loop.
        try coder.read(
          known[row.type], type: page.types[row.type], schema: row.schema, bytes: page.bytes(row.payload), policy,
          into: &events)
        ends.append(events.count)
      }
    } catch {
      failure = error
    }
    extendLifetime(page)
  }

  /// Decodes events that a store read as values.
  init(_ stored: [StoredEvent], with coder: inout EventCoder<E>, _ policy: ReadingPolicy) {
    source = .stored(stored)
    reserve(stored.count)
    do {
      for event in stored {
        let known = coder.known(event.type)
        var payload = event.payload ?? "{}"
        try payload.withUTF8 { bytes in
          try coder.read(
            known, type: event.type, schema: event.schema, bytes: UnsafeRawBufferPointer(bytes), policy, into: &events)
        }
        ends.append(events.count)
      }
    } catch {
      failure = error
    }
  }

  private mutating func reserve(_ count: Int) {
    events.reserveCapacity(count)
    ends.reserveCapacity(count)
  }
}

extension DecodedPage {
  /// The number of stored events, the one that cannot be decoded with them.
  var count: Int { ends.count + (failure == nil ? 0 : 1) }

  /// Where a stored event stands.
  @inline(__always)
  func place(_ index: Int) -> (position: Int, transaction: Int) {
    switch source {
    case .page(let page): (page.rows[index].position, page.rows[index].transaction)
    case .stored(let events): (events[index].position.rawValue, events[index].transaction)
    }
  }

  /// A stored event as a value.
  func stored(_ index: Int) -> StoredEvent {
    switch source {
    case .page(let page): page.stored(index)
    case .stored(let events): events[index]
    }
  }

  /// An event with what its log says of it.
  @inline(__always)
  func recorded(_ event: Int, of index: Int) -> Recorded<E> {
    switch source {
    case .page(let page): Recorded(events[event], page, index)
    case .stored(let stored): Recorded(events[event], stored[index])
    }
  }
}
