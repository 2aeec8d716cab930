public import Foundation

/// A step that converts a stored event to a later schema, before the event is decoded.
///
/// A schema is a version of the payloads' format (``Event/schema``), and is stored with every event.
///
///     enum BookEvent: Event {
///       case inserted(Book), withdrawn(id: Book.ID)
///
///       static let schema = 3
///       static let upcasters: [Upcaster] = [
///         .renamed("BookAdded", from: 1, to: 2, as: "BookInserted"),
///         .changed("BookInserted", from: 2, to: 3) { book in book["shelf"] = "new" },
///         .dropped("BookLookedAt"),
///       ]
///     }
///
/// Events in the log never change. If a step exists for an event's stored type and schema, the step converts the event
/// when it is read. Further steps convert the results until no step applies. Then the results are decoded as events of
/// the present schema. An event whose stored type has no step is decoded without conversion.
///
/// A step's closure can also take the event's ``Context``, for example to use the event's time for a missing date.
/// Steps must be pure: a closure uses only its arguments, and the same arguments always produce the same result.
///
/// The steps of an event type are checked when the type is first used. The steps must form a chain without a gap. So if
/// a result of a step has an older schema than the present schema, a next step must exist for this result. At most one
/// step can start from a given stored type and schema. A step can't convert to an earlier schema, to a schema newer
/// than the present schema, or to a stored type that matches no case of the enum. If a check fails, an
/// ``EventCodingError`` lists all problems. `Docs/Evolution.md` describes when you need a step.
public struct Upcaster: Sendable {
  /// One of the events that a `split` step returns for a stored event.
  public struct Output: Hashable, Sendable {
    /// The event's stored type, which must be one of the types that the step declares.
    public var type: String
    /// The event's payload, in the schema to which the step converts.
    public var payload: JSONValue

    /// Creates one of the events into which a step splits a stored event.
    ///
    /// - Parameters:
    ///   - type: The event's stored type, such as `"BookInserted"`.
    ///   - payload: The event's payload, in the schema to which the step converts.
    public init(_ type: String, _ payload: JSONValue) {
      self.type = type
      self.payload = payload
    }
  }

  /// The stream, time and metadata of a stored event, which a step's closure can use in addition to the payload.
  ///
  ///     .changed("OrderPlaced", from: 1, to: 2) { order, event in
  ///       if order["author"] == nil, let author = event.metadata.author { order["author"] = .string(author) }
  ///     }
  ///
  /// The stream, time and metadata of an event are the same in every copy of a log, even after a compaction or an
  /// erasure. A position or a version can differ between copies, so the context doesn't contain them.
  public struct Context: Sendable {
    /// The name of the event's stream.
    public let stream: StreamName
    /// The time that is stored with the event, exact to the microsecond.
    ///
    /// In a transaction that hasn't committed yet, an event without a time has the current time of the store's clock.
    public let time: Date
    /// The metadata that are stored with the event.
    public let metadata: Metadata

    package init(stream: StreamName, time: Date, metadata: Metadata) {
      self.stream = stream
      // The same precision as in a log.
      self.time = Date(microseconds: time.microseconds)
      self.metadata = metadata
    }
  }

  /// The steps, one per type.
  let steps: [UpcastStep]

  /// Creates a step that changes payloads as JSON.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - change: A closure that changes a payload. Null members of the payload are treated as absent. If the closure
  ///     throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func changed(
    _ type: String, from old: Int, to new: Int, _ change: @escaping @Sendable (inout JSONValue) throws -> Void
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type], change: .json { payload, _ in try change(&payload) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that changes payloads as JSON, and can use the stream, time and metadata of the event.
  ///
  ///     .changed("OrderPlaced", from: 1, to: 2) { order, event in
  ///       order["currency"] = event.stream == "Orders-CH" ? "CHF" : "EUR"
  ///     }
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - change: A closure that changes a payload. Its second parameter is the event's ``Context``. Null members of the
  ///     payload are treated as absent. If the closure throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func changed(
    _ type: String, from old: Int, to new: Int, _ change: @escaping @Sendable (inout JSONValue, Context) throws -> Void
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type], change: .json { try change(&$0, $1()) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that decodes an old payload as one Swift type and converts it to another Swift type.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - oldType: The Swift type of the old payload. Your program must keep this type for this step.
  ///   - change: A closure that converts an old payload to the new payload. If it throws, the projection or other
  ///     reader stops at the event.
  /// - Returns: The step.
  public static func changed<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    _ type: String, from old: Int, to new: Int, as oldType: Old.Type, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type],
      change: .text { text, coder, _ in try coder.encode(change(coder.decode(Old.self, from: text))) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that converts an old payload between Swift types, and can use the stream, time and metadata of the
  /// event.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - oldType: The Swift type of the old payload. Your program must keep this type for this step.
  ///   - change: A closure that converts an old payload to the new payload. Its second parameter is the event's
  ///     ``Context``. If the closure throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func changed<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    _ type: String, from old: Int, to new: Int, as oldType: Old.Type,
    _ change: @escaping @Sendable (Old, Context) throws -> New
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type],
      change: .text { text, coder, context in
        try coder.encode(change(coder.decode(Old.self, from: text), context()))
      })
    return Upcaster(steps: [step])
  }

  /// Creates a step that changes the stored type of an event, but not its payload.
  ///
  /// `old` and `new` can be the same schema, because a name can change while the payload doesn't. If you change only a
  /// name, you can declare it in ``Event/formerNames`` instead, which is shorter.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - name: The new stored type.
  /// - Returns: The step.
  public static func renamed(_ type: String, from old: Int, to new: Int, as name: String) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: [name], change: .none)])
  }

  /// Creates a step that replaces an event with several events, in the order in which the closure returns them.
  ///
  /// If the closure returns no events, the step drops the event. All results have the position, version, time and
  /// metadata of the stored event.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - names: The stored types that the results can have.
  ///   - change: A closure that returns the results. If it throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func split(
    _ type: String, from old: Int, to new: Int, into names: [String],
    _ change: @escaping @Sendable (JSONValue) throws -> [Output]
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: names, change: .split { payload, _ in try change(payload) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that replaces an event with several events, and can use the stream, time and metadata of the event.
  ///
  /// If the closure returns no events, the step drops the event. All results have the position, version, time and
  /// metadata of the stored event.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to convert.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - names: The stored types that the results can have.
  ///   - change: A closure that returns the results. Its second parameter is the event's ``Context``. If the closure
  ///     throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func split(
    _ type: String, from old: Int, to new: Int, into names: [String],
    _ change: @escaping @Sendable (JSONValue, Context) throws -> [Output]
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: names, change: .split { try change($0, $1()) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that drops events of a stored type, so that they remain in the log but no longer reach readers.
  ///
  /// - Parameters:
  ///   - type: The stored type of the events to drop.
  ///   - first: The first schema whose events are dropped. Events of later schemas, through the present schema, are
  ///     dropped, too.
  /// - Returns: The step.
  public static func dropped(_ type: String, from first: Int = 1) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: first, to: nil, into: [], change: .none)])
  }

  /// Creates a step for stored types whose payloads don't change between two schemas.
  ///
  /// A *stored type* is the name that is stored with an event, such as `BookInserted`. ``Event/schema`` applies to all
  /// stored types of an enum. If you increase the schema because one stored type gets another payload, the payloads of
  /// the other stored types don't have to change. Most of these other stored types need no step.
  ///
  /// A stored type needs this step in two cases: it already has a step from an earlier schema, or a step of another
  /// stored type produces its events. In these cases, a chain of steps must convert the stored type's events to the
  /// present schema. Add this step for the part of the chain in which the payload stays the same.
  ///
  /// - Parameters:
  ///   - types: The stored types whose payloads don't change.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  /// - Returns: The step.
  public static func unchanged(_ types: String..., from old: Int, to new: Int) -> Upcaster {
    Upcaster(steps: types.map { UpcastStep(type: $0, from: old, to: new, into: [$0], change: .none) })
  }
}
