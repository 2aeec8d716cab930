/// A coder that reuses its memory for reading and writing payloads.
///
/// A coder must not be shared. Only one thread may call it at a time.
package final class PayloadCoder {
  private var tape = JSONTape()
  private var builder: JSONBuilder
  private let text = JSONText()

  /// Creates a coder.
  ///
  /// - Parameter isCanonical: True to produce the same JSON for equal values in every process. The elements of sets,
  ///   and of dictionaries whose keys are not strings, are then sorted by their JSON. Sorting costs time, so events are
  ///   written without it.
  package init(isCanonical: Bool = false) { builder = JSONBuilder(isCanonical: isCanonical) }

  /// Returns canonical JSON for comparing values that can contain NaN.
  ///
  /// A value that contains NaN doesn't equal itself. In this JSON, NaN is written as a name.
  package static func comparisonText(of value: some Encodable) throws -> String {
    let coder = PayloadCoder()
    coder.builder = JSONBuilder(isCanonical: true, takesAnyNumber: true)
    return try coder.encode(value)
  }

  /// Returns a tape that was loaded with a string.
  func tape(of text: String) throws -> JSONTape {
    var text = text
    return try text.withUTF8 { try tape(of: UnsafeRawBufferPointer($0)) }
  }

  /// Returns a tape that was loaded with a string's bytes.
  ///
  /// Invalid UTF-8 in JSON strings causes an error when they are read.
  func tape(of bytes: UnsafeRawBufferPointer) throws -> JSONTape {
    // The previous decoder might still reference the tape.
    if !isKnownUniquelyReferenced(&tape) { tape = JSONTape() }
    do { try tape.load(bytes) } catch { throw error.decodingError }
    return tape
  }

  /// Returns an empty builder.
  func cleared() -> JSONBuilder {
    if isKnownUniquelyReferenced(&builder) {
      builder.clear()
    } else {
      builder = JSONBuilder(isCanonical: builder.isCanonical, takesAnyNumber: builder.takesAnyNumber)
    }
    return builder
  }

  /// Returns the JSON of a builder, or `nil` if its value is nested too deeply.
  func text(of builder: JSONBuilder) -> String? {
    text.clear()
    return builder.emit(JSONBuilder.root, to: text) ? text.text : nil
  }

  /// Encodes a value as JSON, like Foundation's encoder with sorted keys and unescaped slashes.
  package func encode(_ value: some Encodable) throws -> String {
    let builder = cleared()
    if try !builder.write(known: value, at: JSONBuilder.root, path: { [] }) {
      try value.encode(to: PayloadEncoder(builder, JSONBuilder.root))
      builder.noteOrder(of: value, at: JSONBuilder.root)
    }
    if builder.nodes[JSONBuilder.root].kind == .empty {
      let why = "Top-level \(type(of: value)) did not encode any values."
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: why))
    }
    guard let text = text(of: builder) else { throw JSONBuilder.tooDeep(type(of: value)) }
    return text
  }

  /// Decodes a value from JSON.
  package func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try PayloadDecoder(tape(of: text), JSONTape.root).decode(type)
  }
}
