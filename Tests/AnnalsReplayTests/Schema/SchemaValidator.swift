import Annals
import AnnalsLog
import Foundation
import Testing

/// Validates JSON against a JSON Schema, as far as the tool's schemas use the language; another keyword is a problem.
struct SchemaValidator {
  /// A step into a value.
  enum Step: Hashable, CustomStringConvertible {
    case member(String)
    case element(Int)

    var description: String {
      switch self {
      case .member(let name): name
      case .element(let index): "\(index)"
      }
    }
  }

  /// What a value is to a schema.
  struct Verdict {
    var problems: [String] = []
    /// The members that the schema describes.
    var described: Set<String> = []
    var isOpen = false
    /// The places of the members that must be there.
    var required: [[Step]] = []
    /// The places of the values whose type is said.
    var typed: [[Step]] = []

    /// Takes what another schema says of the same value.
    mutating func join(_ other: Verdict) {
      problems += other.problems
      described.formUnion(other.described)
      isOpen = isOpen || other.isOpen
      required += other.required
      typed += other.typed
    }
  }

  private let root: JSONValue

  init(_ root: JSONValue) { self.root = root }

  /// What is wrong with a value; `isStrict` also counts members that the schema does not describe.
  func verdict(_ value: JSONValue, isStrict: Bool) -> Verdict { whole(value, root, [], isStrict) }

  private func whole(_ value: JSONValue, _ schema: JSONValue, _ path: [Step], _ isStrict: Bool) -> Verdict {
    var found = part(value, schema, path, isStrict)
    if isStrict, !found.isOpen, case .object(let members) = value, found.described.count > 0 || schema["type"] != nil {
      for member in members where !found.described.contains(member.name) {
        found.problems.append("\(path): the schema does not describe \(member.name)")
      }
    }
    return found
  }

  private static let silent: Set<String> = ["$schema", "$defs", "$comment", "title", "description"]

  private func part(_ value: JSONValue, _ schema: JSONValue, _ path: [Step], _ isStrict: Bool) -> Verdict {
    var found = Verdict()
    guard case .object(let keywords) = schema else { return Verdict(problems: ["\(path): a schema that is no object"]) }
    for keyword in keywords where !Self.silent.contains(keyword.name) {
      apply(keyword.name, keyword.value, value, schema, path, isStrict, &found)
    }
    return found
  }

  private func apply(
    _ name: String, _ said: JSONValue, _ value: JSONValue, _ schema: JSONValue, _ path: [Step], _ isStrict: Bool,
    _ found: inout Verdict
  ) {
    func must(_ holds: Bool, _ message: String) { if !holds { found.problems.append("\(path): \(message)") } }
    switch (name, value) {
    case ("$ref", _):
      let target = said.string.flatMap { root["$defs"]?[String($0.dropFirst("#/$defs/".count))] }
      must(said.string?.hasPrefix("#/$defs/") ?? false, "a reference elsewhere")
      guard let target else { return must(false, "no \(said.text)") }
      found.join(part(value, target, path, isStrict))
    case ("anyOf", _):
      // A case of an object requires some of the members that are described next to it.
      let isCase = schema["properties"] != nil
      let verdicts = (said.array ?? []).map {
        isCase ? part(value, $0, path, false) : whole(value, $0, path, isStrict)
      }
      let best = verdicts.min { $0.problems.count < $1.problems.count }
      guard let best else { return must(false, "anyOf without schemas") }
      found.join(best)
    case ("allOf", _): for one in said.array ?? [] { found.join(part(value, one, path, isStrict)) }
    case ("type", _):
      must(Self.isType(value, said.string), "expected \(said.text), found \(value.text.prefix(40))")
      found.typed.append(path)
    case ("const", _): must(value == said, "expected \(said.text), found \(value.text.prefix(40))")
    case ("enum", _): must(said.array?.contains(value) ?? false, "expected one of \(said.text), found \(value.text)")
    case ("minimum", .number(let number)): must((number.int ?? -1) >= (said.int ?? 0), "\(number.text) is too small")
    case ("pattern", .string(let text)):
      must(text.range(of: said.string ?? "(", options: .regularExpression) != nil, "\(text) does not fit")
    case ("minItems", .array(let values)): must(values.count >= said.int ?? 0, "too few")
    case ("maxItems", .array(let values)): must(values.count <= said.int ?? 0, "too many")
    case ("items", .array(let values)):
      for (index, element) in values.enumerated() {
        found.take(whole(element, said, path + [.element(index)], isStrict))
      }
    case ("properties", .object(let members)):
      for member in members {
        guard let one = said[member.name] else { continue }
        found.described.insert(member.name)
        found.take(whole(member.value, one, path + [.member(member.name)], isStrict))
      }
    case ("required", .object):
      for name in (said.array ?? []).compactMap(\.string) {
        must(value[name] != nil, "\(name) is missing")
        found.required.append(path + [.member(name)])
      }
    case ("additionalProperties", .object(let members)):
      found.isOpen = true
      guard case .object = said else { return must(said == true, "additionalProperties is \(said.text)") }
      let named = schema["properties"]
      for member in members where named?[member.name] == nil {
        found.take(whole(member.value, said, path + [.member(member.name)], isStrict))
      }
    case ("minimum", _), ("pattern", _), ("minItems", _), ("maxItems", _), ("items", _), ("properties", _),
      ("required", _), ("additionalProperties", _):
      break
    default: must(false, "the keyword \(name) is not known here")
    }
  }

  private static func isType(_ value: JSONValue, _ name: String?) -> Bool {
    switch (name, value) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object): true
    case ("integer", .number(let number)): number.int != nil
    default: false
    }
  }
}

extension SchemaValidator.Verdict {
  /// Takes what was found of a part of the value.
  fileprivate mutating func take(_ part: SchemaValidator.Verdict) {
    problems += part.problems
    required += part.required
    typed += part.typed
  }
}

extension JSONValue {
  /// The value with the part at a place replaced, or taken out.
  func replacing(_ path: ArraySlice<SchemaValidator.Step>, with new: JSONValue?) -> JSONValue {
    switch (self, path.first) {
    case (_, nil): return new ?? self
    case (.object(let members), .member(let name)?):
      return .object(
        members.compactMap { member in
          guard member.name == name else { return member }
          if path.count == 1 { return new.map { JSONMember(name: name, value: $0) } }
          return JSONMember(name: name, value: member.value.replacing(path.dropFirst(), with: new))
        })
    case (.array(var values), .element(let index)?):
      values[index] = values[index].replacing(path.dropFirst(), with: new)
      return .array(values)
    default: return self
    }
  }

  /// The part at a place.
  func part(at path: [SchemaValidator.Step]) -> JSONValue? {
    path.reduce(self as JSONValue?) { value, step in
      switch step {
      case .member(let name):
        guard case .object(let members)? = value else { return nil }
        return members.first { $0.name == name }?.value
      case .element(let index): return value?.array?[index]
      }
    }
  }
}

/// JSON with its null members, which the library's own reader takes for missing ones.
struct ExactJSON: Decodable {
  let value: JSONValue

  static func read(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(ExactJSON.self, from: Data(text.utf8)).value
  }

  init(from decoder: any Decoder) throws {
    let one = try decoder.singleValueContainer()
    if one.decodeNil() {
      value = .null
    } else if let bool = try? one.decode(Bool.self) {
      value = .bool(bool)
    } else if let number = try? one.decode(Int.self) {
      value = .number(JSONNumber(number))
    } else if let number = try? one.decode(Double.self) {
      value = .number(try JSONNumber(number).required)
    } else if let text = try? one.decode(String.self) {
      value = .string(text)
    } else if let elements = try? one.decode([ExactJSON].self) {
      value = .array(elements.map(\.value))
    } else {
      let members = try one.decode([String: ExactJSON].self).sorted { $0.key < $1.key }
      value = .object(members.map { JSONMember(name: $0.key, value: $0.value.value) })
    }
  }
}

extension Optional {
  /// The value, which a finite number always has.
  fileprivate var required: Wrapped {
    get throws { try #require(self) }
  }
}
