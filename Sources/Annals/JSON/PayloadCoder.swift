/// The memory that payloads are read and written in, used again for the next one.
///
/// Not safe to share: whoever owns it calls it from one place at a time.
package final class PayloadCoder {
  private var tape = PayloadTape()
  private var sheet: PayloadSheet
  private let text = PayloadText()

  /// Creates a coder.
  ///
  /// - Parameter isCanonical: True to give one value one text, in every process: the elements of sets, and of dictionaries whose keys
  ///   are no strings, are written in the order of their texts. It costs time, and events are written without.
  package init(isCanonical: Bool = false) { sheet = PayloadSheet(isCanonical: isCanonical) }

  /// The text by which values are compared that may not equal themselves: canonical, and NaN has a name in it.
  package static func comparisonText(of value: some Encodable) throws -> String {
    let coder = PayloadCoder()
    coder.sheet = PayloadSheet(isCanonical: true, takesAnyNumber: true)
    return try coder.encode(value)
  }

  /// A tape with a text on it.
  func tape(of text: String) throws -> PayloadTape {
    var text = text
    return try text.withUTF8 { try tape(of: UnsafeRawBufferPointer($0)) }
  }

  /// A tape with the bytes of a text on it.
  func tape(of bytes: UnsafeRawBufferPointer) throws -> PayloadTape {
    // Somebody may have kept the decoder of the text before.
    if !isKnownUniquelyReferenced(&tape) { tape = PayloadTape() }
    do { try tape.load(bytes) } catch { throw error.decodingError }
    return tape
  }

  /// An empty sheet.
  func cleared() -> PayloadSheet {
    if isKnownUniquelyReferenced(&sheet) {
      sheet.clear()
    } else {
      sheet = PayloadSheet(isCanonical: sheet.isCanonical, takesAnyNumber: sheet.takesAnyNumber)
    }
    return sheet
  }

  /// The text of a sheet; nil if it is nested too deep.
  func text(of sheet: PayloadSheet) -> String? {
    text.clear()
    return sheet.emit(PayloadSheet.root, to: text) ? text.text : nil
  }

  /// Encodes a value as JSON text, as Foundation's encoder does with sorted keys and plain slashes.
  package func encode(_ value: some Encodable) throws -> String {
    let sheet = cleared()
    func unencoded(_ why: String) -> EncodingError {
      .invalidValue(value, .init(codingPath: [], debugDescription: why))
    }
    if try !sheet.write(known: value, at: PayloadSheet.root, path: { [] }) {
      try value.encode(to: PayloadEncoder(sheet, PayloadSheet.root))
      sheet.noteOrder(of: value, at: PayloadSheet.root)
    }
    if sheet.nodes[PayloadSheet.root].kind == .empty {
      throw unencoded("Top-level \(type(of: value)) did not encode any values.")
    }
    guard let text = text(of: sheet) else { throw sheet.tooDeep(value) }
    return text
  }

  /// Decodes a value from the bytes of JSON text; those of a string that are no UTF-8 are an error where it is read.
  package func decode<T: Decodable>(_ type: T.Type, fromBytes bytes: UnsafeRawBufferPointer) throws -> T {
    try PayloadDecoder(tape(of: bytes), PayloadTape.root).decode(type)
  }

  /// Decodes a value from JSON text.
  package func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try PayloadDecoder(tape(of: text), PayloadTape.root).decode(type)
  }
}
