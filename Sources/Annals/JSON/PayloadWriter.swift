/// Takes one JSON value: a payload, or a part of one.
///
/// A second value in the same place is a mistake in the program, and stops it. A number that JSON cannot hold, such as
/// NaN, is refused when the event is stored.
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

  /// Writes a number in the shortest form that reads back as the same.
  public mutating func write(_ value: Double) {
    begin()
    output.add(value)
  }

  /// Writes true or false.
  public mutating func write(_ value: Bool) {
    begin()
    output.text.add(value ? "true" : "false")
  }

  /// Writes null.
  public mutating func writeNull() {
    begin()
    output.text.add("null")
  }

  /// Writes a value as its own Codable does, such as a date or a part that is rarely there.
  public mutating func write(encoding value: some Encodable) {
    begin()
    output.add(encoding: value)
  }

  /// Writes a text that is one JSON value, which the caller has seen to.
  package mutating func write(json text: String) {
    begin()
    output.text.add(bare: text)
  }

  /// Writes an object.
  ///
  /// - Parameter members: Writes the members, in the order in which they are to stand.
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
  ///   - values: What its elements are made of.
  ///   - element: Writes one element.
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

/// Takes the members of an object, one after the other.
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

  /// Writes a member that is a string, and nothing for nil.
  public mutating func write(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    output.text.add(quoted: value)
  }

  /// Writes a member that is an integer, and nothing for nil.
  public mutating func write(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    output.text.add(Int64(value))
  }

  /// Writes a member that is a number, and nothing for nil.
  public mutating func write(_ name: String, _ value: Double?) {
    guard let value else { return }
    begin(name)
    output.add(value)
  }

  /// Writes a member that is true or false, and nothing for nil.
  public mutating func write(_ name: String, _ value: Bool?) {
    guard let value else { return }
    begin(name)
    output.text.add(value ? "true" : "false")
  }

  /// Writes a member as its own Codable does, such as a date or a part that is rarely there, and nothing for nil.
  public mutating func write<Value: Encodable>(_ name: String, encoding value: Value?) {
    guard let value else { return }
    begin(name)
    output.add(encoding: value)
  }

  /// Writes a member that is an object or an array.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - value: Writes its value.
  public mutating func write(_ name: String, _ value: (inout PayloadWriter) -> Void) {
    begin(name)
    var writer = PayloadWriter(output)
    value(&writer)
    writer.end()
  }
}

/// Where writers write, and the first thing that went wrong.
final class PayloadOutput {
  let text = JSONText()
  var failure: (any Error)?
  /// Encodes the parts that are left to Codable.
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
