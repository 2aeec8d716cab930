/// The memory that payloads are read and written in, used again for the next one.
///
/// Not safe to share: its owner calls it from one place at a time.
package final class PayloadCoder {
  private var tape = JSONTape()
  private var builder: JSONBuilder
  private let text = JSONText()

  /// Creates a coder.
  ///
  /// - Parameter isCanonical: True to give one value one text, in every process: the elements of sets, and of
  ///   dictionaries whose keys are no strings, are written in the order of their texts. It costs time, and events are
  ///   written without.
  package init(isCanonical: Bool = false) { builder = JSONBuilder(isCanonical: isCanonical) }

  /// The text by which values are compared that may not equal themselves: canonical, and NaN has a name in it.
  package static func comparisonText(of value: some Encodable) throws -> String {
    let coder = PayloadCoder()
    coder.builder = JSONBuilder(isCanonical: true, takesAnyNumber: true)
    return try coder.encode(value)
  }

  /// A tape with a text on it.
  func tape(of text: String) throws -> JSONTape {
    var text = text
    return try text.withUTF8 { try tape(of: UnsafeRawBufferPointer($0)) }
  }

  /// A tape with the bytes of a text on it; those of a string that are no UTF-8 are an error where it is read.
  func tape(of bytes: UnsafeRawBufferPointer) throws -> JSONTape {
    // The decoder of the text before may have been kept.
    if !isKnownUniquelyReferenced(&tape) { tape = JSONTape() }
    do { try tape.load(bytes) } catch { throw error.decodingError }
    return tape
  }

  /// An empty builder.
  func cleared() -> JSONBuilder {
    if isKnownUniquelyReferenced(&builder) {
      builder.clear()
    } else {
      builder = JSONBuilder(isCanonical: builder.isCanonical, takesAnyNumber: builder.takesAnyNumber)
    }
    return builder
  }

  /// The text of a builder; nil if it is nested too deep.
  func text(of builder: JSONBuilder) -> String? {
    text.clear()
    return builder.emit(JSONBuilder.root, to: text) ? text.text : nil
  }

  /// Encodes a value as JSON text, as Foundation's encoder does with sorted keys and plain slashes.
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
    guard let text = text(of: builder) else { throw builder.tooDeep(value) }
    return text
  }

  /// Decodes a value from JSON text.
  package func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try PayloadDecoder(tape(of: text), JSONTape.root).decode(type)
  }
}
