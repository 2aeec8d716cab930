public import Foundation

/// A type that provides Swift code for its values, for example for the report of a failed check.
///
/// Most types don't need this protocol, because a report already contains code for standard values, collections,
/// structures and enums. The code for a structure calls an initializer with all stored properties as arguments. If your
/// type doesn't have such an initializer, conform the type to this protocol.
public protocol SourcePrintable {
  /// Swift code that creates an equal value.
  var swiftSource: String { get }
}

/// Returns Swift code that creates a value, as accurately as possible.
///
/// - Parameter value: The value to create. Values that are nested 128 levels inside this value are written as `…`,
///   because otherwise a thread's stack could overflow.
/// - Returns: The code.
public func swiftSource(of value: Any) -> String { swiftSource(of: value, levels: 128) }

private func swiftSource(of value: Any, levels: Int) -> String {
  if levels == 0 { return "…" }
  if let printable = value as? any SourcePrintable { return printable.swiftSource }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { swiftSource(of: $0.value, levels: levels - 1) } ?? "nil"
  case .collection: return "[" + parts(mirror, levels).joined(separator: ", ") + "]"
  case .set: return "[" + parts(mirror, levels).sorted().joined(separator: ", ") + "]"
  case .dictionary:
    let pairs = mirror.children.map { pair in
      Mirror(reflecting: pair.value).children.map { swiftSource(of: $0.value, levels: levels - 1) }.joined(
        separator: ": ")
    }
    return pairs.isEmpty ? "[:]" : "[" + pairs.sorted().joined(separator: ", ") + "]"
  case .tuple: return "(" + labelled(mirror, levels).joined(separator: ", ") + ")"
  case .enum:
    guard let payload = mirror.children.first, let name = payload.label else { return ".\(value)" }
    let inner = Mirror(reflecting: payload.value)
    let values =
      inner.displayStyle == .tuple ? labelled(inner, levels) : [swiftSource(of: payload.value, levels: levels - 1)]
    return ".\(name)(" + values.joined(separator: ", ") + ")"
  case .struct, .class: return "\(type(of: value))(" + labelled(mirror, levels).joined(separator: ", ") + ")"
  default: return "\(value)"
  }
}

private func parts(_ mirror: Mirror, _ levels: Int) -> [String] {
  mirror.children.map { swiftSource(of: $0.value, levels: levels - 1) }
}

private func labelled(_ mirror: Mirror, _ levels: Int) -> [String] {
  mirror.children.map { child in
    let isNamed = child.label.map { !$0.hasPrefix(".") } ?? false
    return (isNamed ? "\(child.label ?? ""): " : "") + swiftSource(of: child.value, levels: levels - 1)
  }
}

extension String: SourcePrintable {
  /// A string literal that escapes quotation marks, backslashes and all characters except for printable ASCII.
  public var swiftSource: String {
    let safe = unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case " "..."~": String(Character(scalar))
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return "\"" + safe.joined() + "\""
  }
}

extension Substring: SourcePrintable {
  /// A string literal with the same characters.
  public var swiftSource: String { String(self).swiftSource }
}

extension Character: SourcePrintable {
  /// A string literal with this character.
  public var swiftSource: String { String(self).swiftSource }
}

extension Double: SourcePrintable {
  /// A number literal, or the name of the constant for NaN and for infinity.
  public var swiftSource: String {
    if isNaN { return "Double.nan" }
    if isInfinite { return self < 0 ? "-Double.infinity" : "Double.infinity" }
    return "\(self)"
  }
}

extension UUID: SourcePrintable {
  /// A call of the initializer with the UUID's string.
  public var swiftSource: String { "UUID(uuidString: \"\(uuidString)\")!" }
}

extension Date: SourcePrintable {
  /// A call of the initializer with the seconds since January 1, 2001.
  public var swiftSource: String { "Date(timeIntervalSinceReferenceDate: \(timeIntervalSinceReferenceDate))" }
}

extension Data: SourcePrintable {
  /// A call of the initializer with the bytes.
  public var swiftSource: String { "Data(\([UInt8](self)))" }
}
