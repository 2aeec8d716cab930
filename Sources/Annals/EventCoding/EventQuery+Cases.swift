extension EventQuery {
  /// The events of a case that has values.
  ///
  ///     .case(CardEvent.added) || .case(CardEvent.renamed)
  ///
  /// You give the case itself, without its values. The query names the type that the case is stored as today.
  /// ``EventLog/events(of:_:after:through:order:limit:unknownEvents:newerEvents:)``,
  /// ``EventStore/subscription(of:to:after:batchSize:unknownEvents:newerEvents:)`` and ``BoundaryDecider`` also find
  /// the case's events of the past, under former names and in older schemas. For anything else, add them with
  /// ``includingOlder(of:)``.
  ///
  /// To learn the case's name, an event of it is made of values that are made up, and dropped. A type that accepts
  /// nothing that is made up, such as an address that must have an "@", ends the program with a sentence at the first
  /// use: give a real event of the case then, `.case(CardEvent.shared(with: address))`.
  ///
  /// - Parameter make: The case.
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

  /// The events of the same case as an event: of a case without values, or of one whose values you have.
  ///
  /// - Parameter event: The case `CardEvent.closed`, or any event of the case; its values do not matter.
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

  /// The query, widened by the stored types that may be read as events of the types that it names.
  ///
  /// These are former names, and what upcasters take. Reading with the event's type does it by itself; do it where you
  /// read stored events, or in the condition of an append.
  ///
  /// - Parameter events: The type of events.
  /// - Returns: The wider query.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  public func includingOlder<E: Event>(of events: E.Type) throws -> EventQuery {
    try EventCoder<E>().widened(self)
  }
}
