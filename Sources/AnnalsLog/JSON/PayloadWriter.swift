/// A writer for one JSON value, which is an event's payload or a part of it.
///
/// Call exactly one of the methods, once. Writing no value or a second value is a programming error, and traps. If you
/// write a number that JSON cannot represent, such as NaN, the store refuses the event. The store also refuses a
/// payload with more than 256 levels of nested arrays and objects. The writer doesn't call the closures that would
/// write deeper levels, so that a deep value can't overflow the stack.
public struct PayloadWriter {
  let output: PayloadOutput
  private(set) var isWritten = false

  init(_ output: PayloadOutput) { self.output = output }

  /// Returns one JSON value that isn't a payload, for example a line of a tool's output.
  ///
  /// Escapes have the form of `JSONValue`.
  package static func json(_ value: (inout PayloadWriter) -> Void) -> String {
    let output = PayloadOutput(.numbered)
    var writer = PayloadWriter(output)
    value(&writer)
    writer.end()
    return output.text.text
  }

  private mutating func begin() {
    precondition(!isWritten, "expected one JSON value, found a second one; write an object or an array")
    isWritten = true
  }

  /// Writes a string.
  public mutating func write(_ value: String) {
    begin()
    output.text.add(quoted: value, output.escapes)
  }

  /// Writes an integer.
  public mutating func write(_ value: Int) {
    begin()
    output.text.add(Int64(value))
  }

  /// Writes a floating-point number with as few digits as are needed to reread the same number.
  public mutating func write(_ value: Double) {
    begin()
    output.add(value)
  }

  /// Writes a Boolean value.
  public mutating func write(_ value: Bool) {
    begin()
    output.text.add(value ? "true" : "false")
  }

  /// Writes null.
  public mutating func writeNull() {
    begin()
    output.text.add("null")
  }

  /// Writes a value through its `Encodable` conformance.
  ///
  /// Use this method, for example, for a date, or for a rarely used part of the payload.
  public mutating func write(encoding value: some Encodable) {
    begin()
    output.add(encoding: value)
  }

  /// Writes a string that the caller guarantees to be one JSON value.
  package mutating func write(json text: String) {
    begin()
    output.text.add(bare: text)
  }

  /// Writes an object.
  ///
  /// - Parameter members: A closure that writes the members. The JSON contains the members in the order in which the
  ///   closure writes them.
  public mutating func writeObject(_ members: (inout PayloadObjectWriter) -> Void) {
    begin()
    guard output.open() else { return }
    defer { output.close() }
    output.text.add(UInt8(ascii: "{"))
    var writer = PayloadObjectWriter(output)
    members(&writer)
    output.text.add(UInt8(ascii: "}"))
  }

  /// Writes an array.
  ///
  /// - Parameters:
  ///   - values: The values to write. Every value becomes one element of the array.
  ///   - element: A closure that receives a value and a writer, and writes the value as an element.
  public mutating func writeArray<Values: Sequence>(
    of values: Values, _ element: (Values.Element, inout PayloadWriter) -> Void
  ) {
    begin()
    guard output.open() else { return }
    defer { output.close() }
    output.text.add(UInt8(ascii: "["))
    var isFirst = true
    for value in values {
      if !isFirst { output.text.add(UInt8(ascii: ",")) }
      isFirst = false
      var writer = PayloadWriter(output)
      element(value, &writer)
      writer.end()
    }
    output.text.add(UInt8(ascii: "]"))
  }

  func end() {
    precondition(isWritten, "expected one JSON value, found none; write null for an empty value")
  }
}

/// A writer for the members of one JSON object.
///
/// The object contains the members in the order in which you write them.
public struct PayloadObjectWriter {
  private let output: PayloadOutput
  private var isFirst = true

  init(_ output: PayloadOutput) { self.output = output }

  private mutating func begin(_ name: String) {
    if !isFirst { output.text.add(UInt8(ascii: ",")) }
    isFirst = false
    output.text.add(quoted: name, output.escapes)
    output.text.add(UInt8(ascii: ":"))
  }

  /// Writes a member with a string value, or omits the member if the string is `nil`.
  public mutating func write(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    output.text.add(quoted: value, output.escapes)
  }

  /// Writes a member with an integer value, or omits the member if the integer is `nil`.
  public mutating func write(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    output.text.add(Int64(value))
  }

  /// Writes a member with a floating-point value, or omits the member if the number is `nil`.
  public mutating func write(_ name: String, _ value: Double?) {
    guard let value else { return }
    begin(name)
    output.add(value)
  }

  /// Writes a member with a Boolean value, or omits the member if the value is `nil`.
  public mutating func write(_ name: String, _ value: Bool?) {
    guard let value else { return }
    begin(name)
    output.text.add(value ? "true" : "false")
  }

  /// Writes a member through its value's `Encodable` conformance, or omits the member if the value is `nil`.
  public mutating func write<Value: Encodable>(_ name: String, encoding value: Value?) {
    guard let value else { return }
    begin(name)
    output.add(encoding: value)
  }

  /// Writes a member with a value that a closure writes, for example an object or an array.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - value: A closure that writes the member's value.
  public mutating func write(_ name: String, _ value: (inout PayloadWriter) -> Void) {
    begin(name)
    var writer = PayloadWriter(output)
    value(&writer)
    writer.end()
  }
}

/// The output of writers, and the first error.
final class PayloadOutput {
  let text = JSONText()
  let escapes: JSONText.Escapes
  var failure: (any Error)?
  /// The number of arrays and objects that are being written.
  private var depth = 0
  /// The coder for parts that use Codable.
  private lazy var coder = PayloadCoder()

  init(_ escapes: JSONText.Escapes = .short) { self.escapes = escapes }

  func clear() {
    text.clear()
    failure = nil
    depth = 0
  }

  /// Begins an array or an object, or returns false if it is nested too deeply.
  ///
  /// In that case, the closure that writes the contents isn't called, so that a deep value can't overflow the stack.
  func open() -> Bool {
    if depth == JSON.maximumDepth {
      failure = failure ?? JSONBuilder.tooDeep(PayloadWriter.self)
      return false
    }
    depth += 1
    return true
  }

  func close() { depth -= 1 }

  func add(_ value: Double) {
    guard value.isFinite else {
      failure =
        failure
        ?? EncodingError.invalidValue(
          value, .init(codingPath: [], debugDescription: "Unable to encode Double.\(value) directly in JSON."))
      return
    }
    text.add(value)
  }

  func add(encoding value: some Encodable) {
    do { text.add(bare: try coder.encode(value)) } catch { failure = failure ?? error }
  }
}
