import Foundation

/// Functions that check JSON and split it into its parts.
///
/// The same rules apply to all JSON of the package: payloads, imports and exports, metadata and personal values. They
/// are the rules of RFC 8259, with three additions. A name occurs once in an object, an exponent is within
/// ±1,000,000,000, and values are nested at most ``maximumDepth`` levels deep.
package enum JSON {
  /// The maximum number of nested arrays and objects, including the outermost array or object.
  ///
  /// All stores have refused payloads with more than 256 levels since the first version. So no log contains a deeper
  /// payload, and no log needs a higher limit. With a higher limit, recursive code would need more stack. A secondary
  /// thread on Apple's systems has 512 KB of stack, which is 2 KB per level.
  package static let maximumDepth = 256

  /// Throws unless a string is exactly one JSON value that follows the rules.
  package static func check(_ text: String) throws(JSONFailure) {
    try JSONTape().load(text, strictly: true, keeping: .nothing)
  }

  /// Parses a string that is one JSON object, and returns its members in order, with the original JSON of their values.
  ///
  /// The object itself does not count as a level, so that a line of an export can contain a payload of the maximum
  /// depth.
  package static func members(ofObject text: String) throws(JSONFailure) -> [(name: String, json: String)] {
    try members(ofObject: text, on: JSONTape())
  }

  private static func members(
    ofObject text: String, on tape: JSONTape
  ) throws(JSONFailure) -> [(name: String, json: String)] {
    let loaded = Result { () throws(JSONFailure) in try tape.load(text, strictly: true, keeping: .members) }
    let start = text.utf8.prefix { [0x20, 0x0A, 0x0D, 0x09].contains($0) }.count
    guard text.utf8.dropFirst(start).first == UInt8(ascii: "{") else {
      throw JSONFailure(message: "expected an object, found \(tape.found(at: start))", byte: start + 1)
    }
    try loaded.get()
    return tape.members(of: JSONTape.root).map { key, value in
      (tape.scalars(of: key), String(decoding: tape.bytes(in: tape.range(of: value)), as: UTF8.self))
    }
  }

  /// A reader of the members of many objects, which reuses its memory.
  package final class MemberReader {
    private var tape = JSONTape()

    package init() {}

    /// Returns the members of an object, like ``JSON/members(ofObject:)``.
    package func members(ofObject text: String) throws(JSONFailure) -> [(name: String, json: String)] {
      // A tape that was enlarged for a long string is released, because short strings don't need its memory.
      defer { if text.utf8.count > 1 << 20 { tape = JSONTape() } }
      return try JSON.members(ofObject: text, on: tape)
    }

    /// Loads the bytes of an object, so that its members can be read without strings for all of them.
    ///
    /// - Parameter bytes: The bytes. Members keep them no longer than until the next call.
    /// - Returns: True if the bytes are one JSON object that follows the rules.
    package func load(_ bytes: UnsafeRawBufferPointer) -> Bool {
      if tape.byteCount > 1 << 20 { tape = JSONTape() }
      do { try tape.load(bytes, strictly: true, keeping: .members) } catch { return false }
      return tape.kind(JSONTape.root) == .object
    }

    /// Returns a member of the loaded object as a string, or `nil` if the member is missing or isn't a string.
    package func string(_ name: String) -> String? {
      guard let token = tape.member(name, of: JSONTape.root) else { return nil }
      return switch tape.kind(token) {
      case .plain, .escaped: tape.string(token)
      default: nil
      }
    }

    /// Returns whether a member of the loaded object is an object.
    package func isObject(_ name: String) -> Bool {
      tape.member(name, of: JSONTape.root).map { tape.kind($0) == .object } ?? false
    }
  }
}

extension JSON {
  /// Returns the JSON of an array's elements, in order.
  ///
  /// - Parameter text: The JSON of one array.
  /// - Returns: The JSON of the elements.
  /// - Throws: `JSONFailure` with the problem.
  package static func elements(ofArray text: String) throws(JSONFailure) -> [String] {
    // The elements of an array are read like the members of an object.
    let tape = JSONTape()
    try tape.load(text, strictly: true, keeping: .members)
    guard tape.kind(JSONTape.root) == .array else {
      throw JSONFailure(message: "expected an array, found \(tape.found(at: 0))", byte: 1)
    }
    var (texts, element): ([String], Int) = ([], JSONTape.root + 1)
    while element < Int(tape.tokens[JSONTape.root].next) {
      texts.append(String(decoding: tape.bytes(in: tape.range(of: element)), as: UTF8.self))
      element = Int(tape.tokens[element].next)
    }
    return texts
  }
}

/// A problem with a string that should be JSON, and its place.
package struct JSONFailure: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  package let message: String
  /// The number of the byte at which the problem was found, starting with 1.
  package let byte: Int

  package var description: String { "\(message) (at byte \(byte))" }

  package var errorDescription: String? { description }
}

extension JSONFailure {
  /// The same problem as an error of a decoder.
  var decodingError: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "The given data was not valid JSON: \(self)."))
  }
}
