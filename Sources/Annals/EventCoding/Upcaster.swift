/// A step that converts a stored event of one type and schema to a later schema, before the event type decodes it.
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
/// Events in the log never change. If a step exists for the stored type and schema of an event, the step converts the
/// event when it is read. Further steps convert the results until no step applies. Then the results are decoded as
/// events of the present schema. An event whose stored type has no step is decoded without conversion. Steps must be
/// pure: the same payload always produces the same result.
///
/// The steps of an event type are checked at its first use. The steps must have no gap, and there can be only one step
/// from the same stored type and schema. No step can convert to an earlier schema, to a schema newer than the present
/// schema, or to a stored name without a case. The error lists all problems. `Docs/Evolution.md` describes when you
/// need a step.
public struct Upcaster: Sendable {
  /// A result of a step that splits events.
  public struct Output: Hashable, Sendable {
    /// The stored type, which must be one of the step's declared types.
    public var type: String
    /// The payload in the step's target schema.
    public var payload: JSONValue

    /// Creates a result of a step that splits events.
    ///
    /// - Parameters:
    ///   - type: The stored type, such as `"BookInserted"`.
    ///   - payload: The payload in the step's target schema.
    public init(_ type: String, _ payload: JSONValue) {
      (self.type, self.payload) = (type, payload)
    }
  }

  /// The steps, one per type.
  let steps: [UpcastStep]

  /// Creates a step that changes the payload.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - change: A closure that changes the payload. The payload has no null members. If the closure throws, the
  ///     projection or other reader stops at the event.
  /// - Returns: The step.
  public static func changed(
    _ type: String, from old: Int, to new: Int, _ change: @escaping @Sendable (inout JSONValue) throws -> Void
  ) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: [type], change: .json(change))])
  }

  /// Creates a step that converts an old payload of one Swift type to a new payload of another.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - oldType: The type of the old payload. Your program must keep the type for this step.
  ///   - change: A closure that returns the new payload. If it throws, the projection or other reader stops at the
  ///     event.
  /// - Returns: The step.
  public static func changed<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    _ type: String, from old: Int, to new: Int, as oldType: Old.Type, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type],
      change: .text { text, coder in try coder.encode(change(coder.decode(Old.self, from: text))) })
    return Upcaster(steps: [step])
  }

  /// Creates a step that changes the stored type of an event, but not its payload.
  ///
  /// `old` and `new` can be the same schema, because a name can change while the payload doesn't. To change only a
  /// name, ``Event/formerNames`` is shorter.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - name: The new stored type.
  /// - Returns: The step.
  public static func renamed(_ type: String, from old: Int, to new: Int, as name: String) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: [name], change: .none)])
  }

  /// Creates a step that replaces an event with several events in order, or drops the event if the closure returns no
  /// events.
  ///
  /// The results have the position, version, time and metadata of the stored event.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  ///   - names: The stored types that the results can have.
  ///   - change: A closure that returns the results. If it throws, the projection or other reader stops at the event.
  /// - Returns: The step.
  public static func split(
    _ type: String, from old: Int, to new: Int, into names: [String],
    _ change: @escaping @Sendable (JSONValue) throws -> [Output]
  ) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: names, change: .split(change))])
  }

  /// Creates a step that drops an event, so that the event remains in the log but no longer reaches readers.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - first: The first schema whose events are dropped. Events of later schemas, through the present schema, are
  ///     dropped too.
  /// - Returns: The step.
  public static func dropped(_ type: String, from first: Int = 1) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: first, to: nil, into: [], change: .none)])
  }

  /// Creates a step for payloads that don't change between two schemas, because the schema was increased for other
  /// stored types.
  ///
  /// - Parameters:
  ///   - types: The stored types. They need this step because other steps convert them to the old schema.
  ///   - old: The schema of the events to convert.
  ///   - new: The schema of the results.
  /// - Returns: The step.
  public static func unchanged(_ types: String..., from old: Int, to new: Int) -> Upcaster {
    Upcaster(steps: types.map { UpcastStep(type: $0, from: old, to: new, into: [$0], change: .none) })
  }
}
