/// The rules that hold for all JSON of the package: payloads, imports and exports, metadata and personal values.
///
/// They are those of RFC 8259, and these on top: a name stands once in an object, an exponent is within ±1,000,000,000,
/// and a text is nested at most ``maximumDepth`` levels deep.
package enum JSON {
  /// How many arrays and objects may lie inside each other, the outermost included.
  ///
  /// Every store has refused payloads beyond 256 levels since the first version, so no log of ours holds a deeper one.
  /// A higher limit would help no log, and code that follows a value level by level would need more stack: a secondary
  /// thread on Apple's systems has 512 KB, which is 2 KB for a level.
  package static let maximumDepth = 256

  /// Throws if a text is not one value that follows the rules.
  package static func check(_ text: String) throws(JSONFailure) {
    try JSONTape().load(text, strictly: true, keeping: .nothing)
  }

  /// Reads a text that is one object, and answers its members in their order, each value with its text as it came.
  ///
  /// The object itself does not count as a level: a line of an export has room for the deepest payload.
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

  /// Reads the members of many objects, one after the other, in the same memory.
  package final class MemberReader {
    private var tape = JSONTape()

    package init() {}

    /// As ``JSON/members(ofObject:)``.
    package func members(ofObject text: String) throws(JSONFailure) -> [(name: String, json: String)] {
      // What one long text took is not kept for the short ones.
      defer { if text.utf8.count > 1 << 20 { tape = JSONTape() } }
      return try JSON.members(ofObject: text, on: tape)
    }
  }
}

extension JSON {
  /// The texts of an array's elements, in their order.
  ///
  /// - Parameter text: One array.
  /// - Returns: The texts.
  /// - Throws: What is wrong with the text.
  package static func elements(ofArray text: String) throws(JSONFailure) -> [String] {
    // An array's elements are read as the members of an object are.
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

/// What is wrong with a text that should be JSON, and where.
package struct JSONFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let message: String
  /// The number of the byte at which it was seen, from 1.
  package let byte: Int

  package var description: String { "\(message) (at byte \(byte))" }
}

extension JSONFailure {
  /// The same, as a decoder throws it.
  var decodingError: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "The given data was not valid JSON: \(self)."))
  }
}
