/// A value that says something of a person, or of anyone else who may ask for it to be erased.
///
///     struct Customer: Row { var id: String; var name: Personal<String> }
///     enum CustomerEvent: Event { case moved(id: String, to: Personal<Address>) }
///
///     Personal("Ann Smith", of: "customer-7")     // {"$personal":"customer-7","value":"Ann Smith"}
///
/// A store that can erase keeps the value beside the event, under its subject.
/// `EventStore.erase(subject:isolation:)` deletes all values of a subject; the events stay, and from then on say
/// that something was there, and of whom: ``isErased``.
///
/// The subject stays in the events for ever. Let it be a key that says nothing by itself, such as a customer's number.
public struct Personal<Value: Codable & Sendable>: Codable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case subject = "$personal"
    case value
  }

  /// Whom the value is about; subjects are one only if their Unicode scalars are.
  public let subject: String
  /// The value, nil if it was erased.
  public var value: Value?

  /// True if the value was erased.
  public var isErased: Bool { value == nil }

  /// Creates a value about a subject.
  ///
  /// - Parameters:
  ///   - value: The value; another personal value may not be a part of it.
  ///   - subject: Whom it is about; a store refuses an empty one.
  public init(_ value: Value, of subject: String) {
    (self.value, self.subject) = (value, subject)
  }

  /// Creates what is left of a value that was erased.
  ///
  /// - Parameter subject: Whom it was about.
  public init(erasedOf subject: String) {
    (value, self.subject) = (nil, subject)
  }

  /// Reads `{"$personal": SUBJECT, "value": VALUE}`; without the member `value`, the value was erased.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    subject = try container.decode(String.self, forKey: .subject)
    value = container.contains(.value) ? try container.decode(Value.self, forKey: .value) : nil
  }

  /// Writes what is read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(subject, forKey: .subject)
    if let value { try container.encode(value, forKey: .value) }
  }
}

extension Personal: Equatable where Value: Equatable {
  /// Tells whether two values are equal and about the same subject, or both were erased of it.
  public static func == (left: Personal, right: Personal) -> Bool {
    ExactString(left.subject) == ExactString(right.subject) && left.value == right.value
  }
}

extension Personal: Hashable where Value: Hashable {
  /// Feeds the subject and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(subject))
    hasher.combine(value)
  }
}

/// Rows are sorted and cut into sections by the value, whomever it is about; erased ones come first, as nil does.
extension Personal: OrderedValue where Value: OrderedValue {
  /// Writes the value as an optional.
  public func encode(into writer: inout KeyWriter) { value.encode(into: &writer) }

  /// The value's key, or the key of nil.
  public var sectionKey: SectionKey { value.sectionKey }
}

extension Personal: CustomStringConvertible {
  /// The value, or "(erased)".
  public var description: String { value.map { "\($0)" } ?? "(erased)" }
}
