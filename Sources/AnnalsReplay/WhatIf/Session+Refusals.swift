import Annals

extension Session {
  /// Sentences about events that the app's deciders would not have let happen, as far as the app says where its events
  /// come from.
  ///
  /// An event is what was decided, and not what was asked for. So it is known only of deciders whose commands the app
  /// can tell from their events.
  func refusals(
    under supposition: Supposition, in log: LogExtent, through end: Position
  ) throws -> [String] {
    if catalog.deciders.isEmpty { return [] }
    var streams: [StreamName: Position] = [:]
    for range in supposition.altered where range.lowerBound <= end.rawValue {
      let last = min(Position(range.upperBound), end)
      try log.store.forEachEvent(after: Position(range.lowerBound - 1), through: last) { event in
        streams[event.stream] = min(streams[event.stream] ?? event.position, event.position)
      }
    }
    return try catalog.deciders.compactMap { decider in
      let found = try decider.refusal(in: supposition.store, altered: streams, through: end)
      if let (event, reason) = found.first {
        return "\(decider.name) would have refused \(event.position) \(event.type) of \(event.stream): \(reason)"
      }
      return found.isKnown ? "\(decider.name) would have refused none of the later events" : nil
    }
  }
}
