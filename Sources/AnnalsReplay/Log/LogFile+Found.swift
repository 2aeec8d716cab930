import Annals

extension LogFile {
  /// An event of the log, or its position if a compaction cut or replaced the event.
  enum Found {
    case event(StoredEvent)
    case cut(Position)
  }

  /// The events with some identities, or nil for identities that the log does not have.
  ///
  /// - Parameter ids: The identities.
  /// - Returns: The events, in the order of the identities.
  /// - Throws: `EventStoreError`, also if one of the events is damaged.
  /// - Complexity: O(m log n) for m identities in a log of n events. Neighbours are read together.
  func found(_ ids: [EventID]) throws -> [Found?] {
    let positions = try positions(of: ids)
    let known = Set(positions.compactMap { $0 }).sorted()
    guard let store, !known.isEmpty else { return ids.map { _ in nil } }
    var events: [Position: StoredEvent] = [:]
    var rest = known[...]
    while let first = rest.first {
      let run = rest.enumerated().prefix { $1.rawValue - first.rawValue == $0 }.count
      let last = rest[rest.startIndex + run - 1]
      let before = Position(first.rawValue - 1)
      for event in try store.events(.all, after: before, through: last, limit: run) { events[event.position] = event }
      rest = rest.dropFirst(run)
    }
    return zip(ids, positions).map { id, position in
      position.map { position in
        // A compaction gives a new identity to the event that replaces another event.
        events[position].flatMap { $0.id == id ? .event($0) : nil } ?? .cut(position)
      }
    }
  }
}
