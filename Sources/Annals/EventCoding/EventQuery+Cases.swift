extension EventQuery {
  /// Returns a query for the events of a case that has values.
  ///
  ///     .case(CardEvent.added) || .case(CardEvent.renamed)
  ///
  /// Pass the case itself, without its values. The query contains the type that the case is stored as today.
  /// ``EventLog/events(of:_:after:through:order:limit:unknownEvents:newerEvents:)``,
  /// ``EventStore/subscription(of:to:after:batchSize:unknownEvents:newerEvents:)`` and ``BoundaryDecider`` also find
  /// the case's past events, with former names and older schemas. For any other use, add them with
  /// ``includingOlder(of:)``.
  ///
  /// To find the case's name, the function creates a temporary event of it with placeholder values. A type that
  /// rejects every placeholder, such as an address that requires an "@", causes a trap at the first use. In this
  /// case, pass a real event: `.case(CardEvent.shared(with: address))`.
  ///
  /// - Parameter make: The case, as a function that creates its event.
  /// - Returns: The query.
  public static func `case`<E: Event, each Value: Codable>(_ make: (repeat each Value) -> E) -> EventQuery {
    do {
      return .case(make(repeat try MadeUpValue.make((each Value).self)))
    } catch {
      let type = (error as? MadeUpValue.Failure)?.type ?? "\(error)"
      preconditionFailure(
        "EventQuery.case(_:) can't create a value of type \(type) for the case of \(E.self); "
          + "pass an event of the case instead: .case(\(E.self).theCase(…))")
    }
  }

  /// Returns a query for the events of the same case as an event, for a case without values or with known values.
  ///
  /// - Parameter event: The case `CardEvent.closed`, or any event of the case, whose values are ignored.
  /// - Returns: The query.
  public static func `case`<E: Event>(_ event: E) -> EventQuery {
    do {
      let coder = try EventCoder<E>()
      guard let key = CaseName.key(of: event) else {
        preconditionFailure("EventQuery.case(_:) requires an enum with synthesized Codable (was \(E.self))")
      }
      return .types(CaseMemory.storedName(ofKey: key, prefix: coder.facts.prefix))
    } catch {
      preconditionFailure("EventQuery.case(_:): \(error)")
    }
  }

  /// Returns the query, extended by the stored types that can be read as events of its types.
  ///
  /// These are former names and the sources of upcasters. Reading with the event's type extends the query
  /// automatically. Call this function to read stored events, or for the condition of an append.
  ///
  /// - Parameter events: The type of events.
  /// - Returns: The extended query.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  public func includingOlder<E: Event>(of events: E.Type) throws -> EventQuery {
    try EventCoder<E>().widened(self)
  }
}
