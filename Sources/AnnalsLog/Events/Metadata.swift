/// Additional attributes of an event, such as its correlation, its causation and its author.
///
/// The attributes are the members of a JSON object. Each member is an extension attribute of CloudEvents, with a name
/// and a JSON value. The value is kept as its original JSON string. Two metadata values are equal if they have the same
/// names with the same JSON strings, compared by Unicode scalars.
///
///     try store.execute(.finish(id: "1"), on: TodoList["home"], metadata: ["actor": "ann"])
public struct Metadata: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// The causation and the correlation for commands of the running code, or `nil` outside of a follower's code.
  ///
  /// A task that the code starts keeps the cause even after the follower's turn has ended.
  @TaskLocal package static var cause: Metadata?

  private var members: [ExactString: ExactString]

  /// Creates metadata with string values.
  ///
  /// - Parameter elements: Names and their string values. If a name occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, String)...) {
    members = [:]
    for (name, value) in elements { self[name] = value }
  }

  /// The identifier that a group of related events share, stored as CloudEvents' `correlationid`.
  public var correlation: String? {
    get { self["correlationid"] }
    set { self["correlationid"] = newValue }
  }

  /// The identifier of the event or command that caused the event, stored as CloudEvents' `causationid`.
  public var causation: String? {
    get { self["causationid"] }
    set { self["causationid"] = newValue }
  }

  /// The person or program that caused the event, for example a user's name.
  ///
  /// The author is stored under the name `actor`, so a literal is `["actor": "ann"]`. A member named `author` has no
  /// special meaning, and doesn't set the author.
  public var author: String? {
    get { self["actor"] }
    set { self["actor"] = newValue }
  }

  /// Returns metadata for new events that are caused by an existing event.
  ///
  /// The new events' ``causation`` is the existing event's identifier. The new events' ``correlation`` is the existing
  /// event's correlation. If the existing event has no correlation, the new events' correlation is the existing event's
  /// identifier.
  ///
  /// - Parameter event: The event that causes the new events.
  /// - Returns: The metadata with both attributes.
  public static func caused(by event: StoredEvent) -> Metadata { caused(by: event.id, event.metadata) }

  static func caused(by id: EventID, _ existing: Metadata) -> Metadata {
    var metadata: Metadata = [:]
    metadata.causation = id.id
    metadata.correlation = existing.correlation ?? id.id
    return metadata
  }

  /// Returns the same metadata, with a cause if the causation is missing.
  ///
  /// The cause is the event that the calling code of a follower handles. Otherwise, it is the command's id.
  package func with(commandID: String?) -> Metadata {
    var metadata = self
    if causation == nil, let cause = Self.cause {
      metadata.causation = cause.causation
      metadata.correlation = correlation ?? cause.correlation
      return metadata
    }
    guard let commandID else { return self }
    metadata.causation = causation ?? commandID
    metadata.correlation = correlation ?? commandID
    return metadata
  }

  /// The string value of a member, or `nil` if the member is missing or isn't a string.
  ///
  /// Setting `nil` removes the member.
  ///
  /// - Parameter name: The member's name.
  public subscript(name: String) -> String? {
    get {
      guard let json = members[ExactString(name)], let value = try? JSONValue(parsing: json.text) else { return nil }
      guard case .string(let text) = value else { return nil }
      return text
    }
    set { members[ExactString(name)] = newValue.map { ExactString(JSONValue.quoted($0)) } }
  }

  /// The names of the members and their values as JSON, sorted by name.
  package var sorted: [(name: String, json: String)] {
    members.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.text) }
  }

  /// Reserves memory for a number of members.
  mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// Sets a member to any value as JSON, which the caller has validated.
  package mutating func set(_ name: String, json: String) {
    members[ExactString(name)] = ExactString(json)
  }

  /// One JSON object with all members, sorted by name.
  ///
  /// A store keeps the metadata in this form.
  public var json: String {
    if members.isEmpty { return "{}" }
    // A fast path, because every event has its own metadata, and most metadata have one member or a few.
    if members.count == 1, let (name, json) = members.first {
      return "{" + JSONValue.quoted(name.text) + ":" + json.text + "}"
    }
    return "{" + sorted.map { JSONValue.quoted($0.name) + ":" + $0.json }.joined(separator: ",") + "}"
  }

  /// Creates metadata from a string that contains a JSON object.
  ///
  /// - Parameter json: The JSON object. Its members can have values of any JSON type.
  /// - Throws: An error that describes the problem, if the string doesn't contain exactly one JSON object.
  public init(json: String) throws {
    members = [:]
    for member in try JSON.members(ofObject: json) { set(member.name, json: member.json) }
  }
}
