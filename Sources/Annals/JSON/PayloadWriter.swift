/// A writer for one JSON value, which is a payload or a part of a payload.
///
/// Writing a second value in the same place is a programming error and causes a trap. A number that JSON cannot
/// represent, such as NaN, is refused when the event is stored.
public struct PayloadWriter {
  let output: PayloadOutput
  private(set) var isWritten = false

  init(_ output: PayloadOutput) { self.output = output }

  private mutating func begin() {
    precondition(!isWritten, "a payload must be one JSON value: write an object or an array instead of a second value")
    isWritten = true
  }

  /// Writes a string.
  public mutating func write(_ value: String) {
    begin()
    output.text.add(quoted: value)
  }

  /// Writes an integer.
  public mutating func write(_ value: Int) {
    begin()
    output.text.add(Int64(value))
  }

  /// Writes a number in the shortest form that is read as the same number.
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

  /// Writes a value through its type's Codable conformance, for example a date or a rarely used part of the payload.
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
  /// - Parameter members: A closure that writes the members, in the order of the output.
  public mutating func writeObject(_ members: (inout PayloadObjectWriter) -> Void) {
    begin()
    output.text.add(UInt8(ascii: "{"))
    var writer = PayloadObjectWriter(output)
    members(&writer)
    output.text.add(UInt8(ascii: "}"))
  }

  /// Writes an array.
  ///
  /// - Parameters:
  ///   - values: The values from which the elements are created.
  ///   - element: A closure that writes one element.
  public mutating func writeArray<Values: Sequence>(
    of values: Values, _ element: (Values.Element, inout PayloadWriter) -> Void
  ) {
    begin()
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
    precondition(isWritten, "a payload must be one JSON value: write null for an empty payload")
  }
}

/// A writer for the members of an object, in order.
public struct PayloadObjectWriter {
  private let output: PayloadOutput
  private var isFirst = true

  init(_ output: PayloadOutput) { self.output = output }

  private mutating func begin(_ name: String) {
    if !isFirst { output.text.add(UInt8(ascii: ",")) }
    isFirst = false
    output.text.add(quoted: name)
    output.text.add(UInt8(ascii: ":"))
  }

  /// Writes a member that is a string, or omits the member if the string is `nil`.
  public mutating func write(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    output.text.add(quoted: value)
  }

  /// Writes a member that is an integer, or omits the member if the integer is `nil`.
  public mutating func write(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    output.text.add(Int64(value))
  }

  /// Writes a member that is a number, or omits the member if the number is `nil`.
  public mutating func write(_ name: String, _ value: Double?) {
    guard let value else { return }
    begin(name)
    output.add(value)
  }

  /// Writes a member that is a Boolean value, or omits the member if the value is `nil`.
  public mutating func write(_ name: String, _ value: Bool?) {
    guard let value else { return }
    begin(name)
    output.text.add(value ? "true" : "false")
  }

  /// Writes a member through its type's Codable conformance, or omits the member if the value is `nil`.
  public mutating func write<Value: Encodable>(_ name: String, encoding value: Value?) {
    guard let value else { return }
    begin(name)
    output.add(encoding: value)
  }

  /// Writes a member that is an object or an array.
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
  var failure: (any Error)?
  /// The coder for parts that use Codable.
  private lazy var coder = PayloadCoder()

  func clear() {
    text.clear()
    failure = nil
  }

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
