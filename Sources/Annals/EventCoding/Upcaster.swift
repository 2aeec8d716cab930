/// A step that upcasts stored events of an older schema, on their way to the type that reads them.
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
/// What is stored never changes. A stored event whose type and schema a step is from goes through it, and what comes
/// out through the next one, until nothing leads on; then it is read as an event of the type's present schema. A
/// stored type without a step is read as it is. A step is pure: the same payload leads to the same result, always.
///
/// The steps of a type are checked when it is first used: there must be no hole and no way back, no two steps from one
/// type and schema, none beyond the present schema, and none that ends at a name without a case. The error names all
/// that is wrong. `Docs/Evolution.md` says when to write a step, and when not.
public struct Upcaster: Sendable {
  /// An event on its way up: what a step that splits answers.
  public struct Output: Hashable, Sendable {
    /// The stored type, one of those that the step is declared into.
    public var type: String
    /// The payload in the schema that the step leads to.
    public var payload: JSONValue

    /// Creates an event on its way up.
    ///
    /// - Parameters:
    ///   - type: The stored type, such as `"BookInserted"`.
    ///   - payload: The payload in the schema that the step leads to.
    public init(_ type: String, _ payload: JSONValue) {
      (self.type, self.payload) = (type, payload)
    }
  }

  /// A step for each type that it is for.
  let steps: [UpcastStep]

  /// Changes the payload.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of what is taken.
  ///   - new: The schema of what comes out.
  ///   - change: Changes the payload; what it throws stops the reader of the event. Null members are left out.
  /// - Returns: The step.
  public static func changed(
    _ type: String, from old: Int, to new: Int, _ change: @escaping @Sendable (inout JSONValue) throws -> Void
  ) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: [type], change: .json(change))])
  }

  /// Makes a new payload of an old one, both as Swift types.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of what is taken.
  ///   - new: The schema of what comes out.
  ///   - oldType: The type of the old payload, kept for this.
  ///   - change: Makes the new payload; what it throws stops the reader of the event.
  /// - Returns: The step.
  public static func changed<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    _ type: String, from old: Int, to new: Int, as oldType: Old.Type, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Upcaster {
    let step = UpcastStep(
      type: type, from: old, to: new, into: [type],
      change: .text { text, coder in try coder.encode(change(coder.decode(Old.self, from: text))) })
    return Upcaster(steps: [step])
  }

  /// Gives the event another stored type; the payload stays as it is.
  ///
  /// Both schemas may be the same: a name may change where no payload does. ``Event/formerNames`` is shorter then.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of what is taken.
  ///   - new: The schema of what comes out.
  ///   - name: The new type.
  /// - Returns: The step.
  public static func renamed(_ type: String, from old: Int, to new: Int, as name: String) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: [name], change: .none)])
  }

  /// Makes several events of one, in order; none drops it.
  ///
  /// What comes out has the position, version, time and metadata of what is stored.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - old: The schema of what is taken.
  ///   - new: The schema of what comes out.
  ///   - names: The types that the events may have.
  ///   - change: Makes the events; what it throws stops the reader of the event.
  /// - Returns: The step.
  public static func split(
    _ type: String, from old: Int, to new: Int, into names: [String],
    _ change: @escaping @Sendable (JSONValue) throws -> [Output]
  ) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: old, to: new, into: names, change: .split(change))])
  }

  /// Leaves the event out: it stays in the log, and no reader gets it any more.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - first: The schema from which on it is left out, up to the present one.
  /// - Returns: The step.
  public static func dropped(_ type: String, from first: Int = 1) -> Upcaster {
    Upcaster(steps: [UpcastStep(type: type, from: first, to: nil, into: [], change: .none)])
  }

  /// Says that payloads are the same in a later schema, which was raised for other types.
  ///
  /// - Parameters:
  ///   - types: Stored types with steps before this one.
  ///   - old: The schema of what is taken.
  ///   - new: The schema of what comes out.
  /// - Returns: The step.
  public static func unchanged(_ types: String..., from old: Int, to new: Int) -> Upcaster {
    Upcaster(steps: types.map { UpcastStep(type: $0, from: old, to: new, into: [$0], change: .none) })
  }
}
