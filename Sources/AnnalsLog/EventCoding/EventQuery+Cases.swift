extension EventQuery {
  /// Returns a query for all events of a case that has values.
  ///
  ///     .case(CardEvent.added) || .case(CardEvent.renamed)
  ///
  /// Pass the case itself, without its values. The query contains only the current stored name of the case.
  /// ``EventLog/events(of:_:after:through:order:limit:unknownEvents:newerEvents:)``,
  /// ``EventStore/subscription(of:to:after:batchSize:unknownEvents:newerEvents:)`` and `BoundaryDecider` also find
  /// events of the case that have former names or older schemas. For any other use of the query, call
  /// ``includingOlder(of:)`` to include such events.
  ///
  /// To find the case's name, the function creates a temporary event of the case with placeholder values. If the type
  /// of a value rejects every placeholder, for example an address type that requires an "@", the first call traps. For
  /// such a type, pass a real event: `.case(CardEvent.shared(with: address))`.
  ///
  /// - Parameter make: The case, such as `CardEvent.added`, which Swift treats as a function that creates the event.
  /// - Returns: The query.
  public static func `case`<E: Event, each Value: Codable>(_ make: (repeat each Value) -> E) -> EventQuery {
    do {
      return .case(make(repeat try MadeUpValue.make((each Value).self)))
    } catch {
      let type = (error as? MadeUpValue.Failure)?.type ?? "\(error)"
      preconditionFailure(
        "EventQuery.case(_:) can't create a placeholder value of type \(type), which the case of \(E.self) needs. "
          + "Pass an event of the case instead: .case(\(E.self).theCase(…))")
    }
  }

  /// Returns a query for all events that have the same case as a given event.
  ///
  /// - Parameter event: Any event of the case, such as `CardEvent.closed`. Its values are ignored.
  /// - Returns: The query.
  public static func `case`<E: Event>(_ event: E) -> EventQuery {
    do {
      let coder = try EventCoder<E>()
      guard let key = CaseName.key(of: event) else {
        preconditionFailure(
          "EventQuery.case(_:) requires an enum with a synthesized Codable conformance (was \(E.self))")
      }
      return .types(CaseMemory.storedName(ofKey: key, prefix: coder.facts.prefix))
    } catch {
      preconditionFailure("EventQuery.case(_:): \(error)")
    }
  }

  /// Returns an extended copy of this query, which also finds events with older stored names.
  ///
  /// An older stored name is a former name (``Event/formerNames``) or the source of an upcaster (``Event/upcasters``).
  /// When typed events are read, an event with an older name is converted to an event of one of the query's types.
  ///
  /// Methods that read typed events extend a query automatically. Call this function if you read stored events, or if
  /// you use the query in the condition of an append.
  ///
  /// - Parameter events: The event type that declares the former names and upcasters.
  /// - Returns: The extended query.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  public func includingOlder<E: Event>(of events: E.Type) throws -> EventQuery {
    try EventCoder<E>().widened(self)
  }
}
