/// What an event says of itself beside its payload: correlation, causation, actor, and anything else.
///
/// The members are CloudEvents' extension attributes: a name and a JSON value, kept as the text that it came as.
/// Metadata are equal if they have the same members, by the Unicode scalars of names and texts.
///
///     try store.execute(.finish(id: "1"), on: TodoList.self, id: "home", metadata: ["actor": "ann"])
public struct Metadata: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  private var members: [ExactString: ExactString]

  /// Creates metadata with string values.
  ///
  /// - Parameter elements: Names and their values; of a name given twice the last value holds.
  public init(dictionaryLiteral elements: (String, String)...) {
    members = [:]
    for (name, value) in elements { self[name] = value }
  }

  /// The identifier of the whole that the event belongs to, CloudEvents' `correlationid`.
  public var correlation: String? {
    get { self["correlationid"] }
    set { self["correlationid"] = newValue }
  }

  /// The identifier of what caused the event, CloudEvents' `causationid`.
  public var causation: String? {
    get { self["causationid"] }
    set { self["causationid"] = newValue }
  }

  /// Who did it.
  public var actor: String? {
    get { self["actor"] }
    set { self["actor"] = newValue }
  }

  /// Who did it, by the word that Core Data has for it; the same as ``actor``.
  public var author: String? {
    get { actor }
    set { actor = newValue }
  }

  /// Metadata of what an event led to: its id is the cause, and what it belongs to is carried along.
  ///
  /// An event that belongs to nothing begins a whole of its own, which is called by its id.
  ///
  /// - Parameter event: The event that caused what is about to be appended.
  /// - Returns: Metadata with correlation and causation.
  public static func caused(by event: StoredEvent) -> Metadata {
    var metadata: Metadata = [:]
    metadata.causation = event.id.id
    metadata.correlation = event.metadata.correlation ?? event.id.id
    return metadata
  }

  /// These metadata, with a command's id as cause and as the whole where they name none.
  func with(commandID: String?) -> Metadata {
    guard let commandID else { return self }
    var metadata = self
    metadata.causation = causation ?? commandID
    metadata.correlation = correlation ?? commandID
    return metadata
  }

  /// The string value of a member; nil if there is none or if it is no string.
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

  /// The names and the JSON texts of the members, by name.
  package var sorted: [(name: String, json: String)] {
    members.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.text) }
  }

  /// Makes room for a number of members.
  mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// Sets a member to the JSON text of any value, which the caller has checked to be JSON.
  package mutating func set(_ name: String, json: String) {
    members[ExactString(name)] = ExactString(json)
  }

  /// The members as one JSON object, in the order of their names: what a store keeps.
  public var json: String {
    if members.isEmpty { return "{}" }
    // Mostly there is one, or few, and every event has its own.
    if members.count == 1, let (name, json) = members.first {
      return "{" + JSONValue.quoted(name.text) + ":" + json.text + "}"
    }
    return "{" + sorted.map { JSONValue.quoted($0.name) + ":" + $0.json }.joined(separator: ",") + "}"
  }

  /// Creates metadata of the JSON object that ``json`` writes.
  ///
  /// - Parameter json: The object, with members of any kind.
  /// - Throws: What is wrong with the text, if it is not a JSON object.
  public init(json: String) throws {
    members = [:]
    for member in try JSON.members(ofObject: json) { set(member.name, json: member.json) }
  }
}
