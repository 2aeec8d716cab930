package import Annals
import AnnalsLog

/// What is taken out of events before they are shown to others.
///
/// A redacted value keeps its type: a text becomes `"[redacted]"`, a number 0, true becomes false, an array and an
/// object become empty. A personal field becomes one without a value. How deep it is nested does not matter. It cannot
/// know that the same text is also in a field of another name, in an id or in a stream's name.
package struct Redaction: Sendable {
  /// A way to a member.
  private struct Name: Hashable {
    /// The names on the way; arrays on it count as each of their elements.
    let steps: [ExactString]
    /// True if the way begins at the outermost object, and not at any depth.
    let isWhole: Bool
  }

  /// The members that are taken out of payloads, of metadata and of rows.
  private var names: Set<Name> = []
  /// The people whose personal values are taken out, with their names.
  private var subjects: Set<ExactString> = []
  /// True to take out all personal values, as erasures of everyone would.
  private var isWithoutPersonal: Bool
  /// True to take out the whole payloads of events, but no values of rows.
  var isWithoutPayloads = false
  /// The types of events whose whole payload is redacted.
  private var types: Set<ExactString>

  /// - Parameters:
  ///   - words: A field's name, or a dotted path such as `address.street`, at any depth; a path from the outermost
  ///     object, such as `$.cards[0].number`; or `subject:NAME`.
  ///   - types: The types of events whose whole payload is redacted.
  ///   - isWithoutPersonal: True to take out all personal values.
  package init(_ words: [String] = [], types: Set<String> = [], isWithoutPersonal: Bool = false) {
    self.isWithoutPersonal = isWithoutPersonal
    self.types = Set(types.map { ExactString($0) })
    // The member of the metadata with the author is called `actor`.
    for word in words + (words.contains("author") ? ["actor"] : []) {
      if word.hasPrefix("subject:") {
        subjects.insert(ExactString(String(word.dropFirst("subject:".count))))
        continue
      }
      let isWhole = word.hasPrefix("$.")
      let plain = Self.steps(isWhole ? String(word.dropFirst(2)) : word)
      let steps = plain.map { ExactString(String($0.text.prefix { $0 != "[" })) }.filter { !$0.text.isEmpty }
      for steps in [plain, steps] where !steps.isEmpty { names.insert(Name(steps: steps, isWhole: isWhole)) }
    }
  }

  /// The names under which a member is found; a dot in a member's own name counts as one between two.
  static func steps(_ name: String) -> [ExactString] {
    name.split(separator: ".").map { ExactString(String($0)) }
  }

  /// True if a member is taken out, whatever it holds.
  func hides(_ path: [ExactString]) -> Bool {
    names.contains { name in
      name.isWhole
        ? name.steps == path : name.steps.count <= path.count && name.steps == Array(path.suffix(name.steps.count))
    }
  }

  /// True if the payloads of a type of events are taken out.
  func hides(payloadsOf type: String) -> Bool { types.contains(ExactString(type)) }

  /// True if the personal values of someone are taken out.
  func hides(subject: String) -> Bool {
    // Whose name was taken out already is one of them.
    isWithoutPersonal || subjects.contains(ExactString(subject)) || !subjects.isEmpty && subject == Self.subject
  }

  /// What is taken out of personal values alone; nil if nothing is.
  var ofPersonalValues: Redaction? {
    if !isWithoutPersonal, subjects.isEmpty { return nil }
    var personal = Redaction(isWithoutPersonal: isWithoutPersonal)
    personal.subjects = subjects
    return personal
  }

  /// True if nothing is taken out.
  package var isEmpty: Bool {
    names.isEmpty && subjects.isEmpty && types.isEmpty && !isWithoutPersonal && !isWithoutPayloads
  }

  /// A payload without what is redacted; nil for an event without a payload.
  ///
  /// - Parameters:
  ///   - payload: JSON.
  ///   - type: The event's type, where it is known.
  /// - Returns: JSON; the very text if there is nothing to take out.
  package func apply(to payload: String?, type: String? = nil) -> String? {
    guard let payload, !isEmpty else { return payload }
    if let type, hides(payloadsOf: type) { return Self.mark(for: payload) }
    // What cannot be read is not shown.
    return (try? redacted(payload, at: [])) ?? Self.text
  }

  /// An event without what is redacted of its payload, metadata and tags.
  package func apply(to event: StoredEvent) -> StoredEvent {
    if isEmpty { return event }
    var metadata: Metadata = [:]
    for member in event.metadata.sorted {
      let isMeant = hides(Self.steps(member.name))
      let json = isMeant ? Self.mark(for: member.json) : (try? redacted(member.json, at: [])) ?? Self.text
      metadata.set(member.name, json: json)
    }
    return StoredEvent(
      position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
      id: event.id, type: event.type, schema: event.schema, time: event.time,
      tags: hides([ExactString("tags")]) ? [] : event.tags,
      payload: isWithoutPayloads ? nil : apply(to: event.payload, type: event.type), metadata: metadata)
  }

  /// What stands for the name of someone whose values are taken out.
  private static let subject = "[redacted]"
  private static let text = "\"[redacted]\""

  /// What stands for a value: of its type, and the same for all of them.
  private static func mark(for json: String) -> String {
    switch json.utf8.first {
    case UInt8(ascii: "{"): isPersonal(json) ? PersonalField.placeholder(of: Self.subject) : "{}"
    case UInt8(ascii: "["): "[]"
    case UInt8(ascii: "\""): text
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "false"
    case UInt8(ascii: "n"): "null"
    default: "0"
    }
  }

  private static func isPersonal(_ json: String) -> Bool { subject(of: json) != nil }

  private static func subject(of json: String) -> String? {
    guard let member = try? JSON.members(ofObject: json).first(where: { $0.name == "$personal" }),
      case .string(let subject)? = try? JSONValue(parsing: member.json)
    else { return nil }
    return subject
  }

  /// A value without what is redacted in it.
  private func redacted(_ json: String, at path: [ExactString]) throws -> String {
    let json = json.trimmingSpaces
    switch json.utf8.first {
    case UInt8(ascii: "{"):
      if let subject = Self.subject(of: json) {
        if subjects.contains(ExactString(subject)) { return PersonalField.placeholder(of: Self.subject) }
        if isWithoutPersonal { return PersonalField.placeholder(of: subject) }
      }
      let members = try JSON.members(ofObject: json)
      var isChanged = false
      let texts = try members.map { member in
        let inner = path + Self.steps(member.name)
        let new = hides(inner) ? Self.mark(for: member.json) : try redacted(member.json, at: inner)
        if !ExactString.exactlyEqual(new, member.json) { isChanged = true }
        return JSONValue.quoted(member.name) + ":" + new
      }
      return isChanged ? "{" + texts.joined(separator: ",") + "}" : json
    case UInt8(ascii: "["):
      let elements = try JSON.elements(ofArray: json)
      let texts = try elements.map { try redacted($0, at: path) }
      return texts == elements ? json : "[" + texts.joined(separator: ",") + "]"
    default: return json
    }
  }
}

extension String {
  /// The text without JSON's spaces around it.
  fileprivate var trimmingSpaces: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else { return self }
    let start = utf8.firstIndex { !isSpace($0) } ?? endIndex
    let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? start
    return String(self[start..<max(start, end)])
  }
}
