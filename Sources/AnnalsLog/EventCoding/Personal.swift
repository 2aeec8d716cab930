/// A value about a person or another entity (the value's subject), which can be erased on request.
///
///     struct Customer: Row { var id: String; var name: Personal<String> }
///     enum CustomerEvent: Event { case moved(id: String, to: Personal<Address>) }
///
///     Personal("Ann Smith", of: "customer-7")     // {"$personal":"customer-7","value":"Ann Smith"}
///
/// The *subject* is a key that you choose for the person or entity. A store that supports erasure stores the value
/// separately from the event, under its subject. `EventStore.erase(subject:isolation:)` deletes all values that have a
/// given subject. The events remain, and ``isErased`` is true for their erased values.
///
/// The subject itself remains in the events forever. Choose a key that isn't personal data, such as a customer number.
public struct Personal<Value: Codable & Sendable>: Codable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case subject = "$personal"
    case value
  }

  /// The key of the person or entity that the value is about.
  ///
  /// Two subjects are equal only if their Unicode scalars are equal.
  public let subject: String
  /// The value, or `nil` if it was erased.
  public var value: Value?

  /// True if the value was erased.
  public var isErased: Bool { value == nil }

  /// Creates a personal value.
  ///
  /// - Parameters:
  ///   - value: The value, which must not contain another personal value.
  ///   - subject: The key of the person or entity that the value is about. A store refuses an empty key.
  public init(_ value: Value, of subject: String) {
    self.value = value
    self.subject = subject
  }

  /// Creates the placeholder for an erased value.
  ///
  /// - Parameter subject: The key of the person or entity that the erased value was about.
  public init(erasedOf subject: String) {
    value = nil
    self.subject = subject
  }

  /// Decodes `{"$personal": SUBJECT, "value": VALUE}`, or an erased value if the member `value` is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    subject = try container.decode(String.self, forKey: .subject)
    value = container.contains(.value) ? try container.decode(Value.self, forKey: .value) : nil
  }

  /// Encodes the value in the form that `init(from:)` decodes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(subject, forKey: .subject)
    if let value { try container.encode(value, forKey: .value) }
  }
}

extension Personal: Equatable where Value: Equatable {
  /// Returns whether two personal values have the same subject and equal values.
  ///
  /// Two erased values are equal.
  public static func == (left: Personal, right: Personal) -> Bool {
    ExactString(left.subject) == ExactString(right.subject) && left.value == right.value
  }
}

extension Personal: Hashable where Value: Hashable {
  /// Hashes the subject and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(subject))
    hasher.combine(value)
  }
}

extension Personal: CustomStringConvertible {
  /// The value's description, or "(erased)" if the value was erased.
  public var description: String { value.map { described($0, maximumLength: .max) } ?? "(erased)" }
}
