/// A growing buffer for JSON output.
///
/// A buffer is reused for the next event. It belongs to one coder and must not be shared.
final class JSONText {
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 512) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  func clear() { count = 0 }

  /// Removes all bytes after a length.
  func cut(to length: Int) { count = min(count, length) }

  /// The whole contents.
  var text: String { String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self) }

  /// Reserves space for additional bytes, and returns its address.
  @inline(__always)
  private func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    if count + more > capacity { grow(to: count + more) }
    return bytes + count
  }

  private func grow(to least: Int) {
    capacity = max(least, 2 * capacity)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  @inline(__always)
  func add(_ byte: UInt8) {
    room(1).pointee = byte
    count += 1
  }

  func add(_ source: UnsafePointer<UInt8>, _ length: Int) {
    room(length).update(from: source, count: length)
    count += length
  }

  /// Adds the given number of bytes, which a closure must write completely.
  @inline(__always)
  func add(_ length: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    write(UnsafeMutableRawBufferPointer(start: room(length), count: length))
    count += length
  }

  func add(_ word: StaticString) { add(word.utf8Start, word.utf8CodeUnitCount) }

  /// Adds a string that needs no quotes and no escapes.
  func add(bare text: String) {
    var text = text
    text.withUTF8 { if let start = $0.baseAddress { add(start, $0.count) } }
  }

  /// The form of the escapes for backspace and form feed.
  ///
  /// All other escapes have only one form.
  enum Escapes {
    /// `\b` and `\f`, as Foundation writes payloads.
    case short
    /// `\u0008` and `\u000c`, as tags and metadata have always been written. The form must not change, because
    /// checksums are computed over these strings.
    case numbered
  }

  /// Adds a string as JSON, with unescaped slashes.
  func add(quoted text: String, _ escapes: Escapes = .short) {
    var text = text
    text.withUTF8 { add(quoted: UnsafeRawBufferPointer($0), escapes) }
  }

  func add(quoted source: UnsafeRawBufferPointer, _ escapes: Escapes = .short) {
    add(UInt8(ascii: "\""))
    var offset = 0
    while true {
      let next = source.nextOfJSONString(from: offset)
      if next > offset, let start = source.baseAddress?.assumingMemoryBound(to: UInt8.self) {
        add(start + offset, next - offset)
      }
      guard next < source.count else { break }
      add(escaped: source[next], escapes)
      offset = next + 1
    }
    add(UInt8(ascii: "\""))
  }

  private func add(escaped byte: UInt8, _ escapes: Escapes) {
    switch byte {
    case UInt8(ascii: "\""): add("\\\"")
    case UInt8(ascii: "\\"): add("\\\\")
    case 0x08 where escapes == .short: add("\\b")
    case 0x0C where escapes == .short: add("\\f")
    case 0x0A: add("\\n")
    case 0x0D: add("\\r")
    case 0x09: add("\\t")
    default:
      add(byte < 0x10 ? "\\u000" : "\\u001")
      let digit = byte & 0xF
      add(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  func add(_ value: Int64) {
    if value < 0 { add(UInt8(ascii: "-")) }
    add(value.magnitude)
  }

  func add(_ value: UInt64) {
    // At most 20 digits, written from last to first.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (rest, index) = (value, 20)
      repeat {
        index -= 1
        digits.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      if let start = digits.baseAddress { add(start + index, 20 - index) }
    }
  }

  /// Adds a finite number in the shortest form that is read as the same number, without ".0".
  func add(_ value: Double) {
    // This loop writes numbers with few digits before and after the point. If a decimal string of up to 15 digits is
    // read as this number, no other string of the same length is read as this number. No shorter string is either,
    // unless the first string ends with zeros.
    for decimals in 0..<4 where value.magnitude < 1e11 {
      let scaled = (value * powersOfTen[decimals]).rounded()
      guard scaled / powersOfTen[decimals] == value else { continue }
      if value == 0, value.sign == .minus { break }
      return add(Int64(scaled), decimals: decimals)
    }
    add(shortened: value.description)
  }

  func add(_ value: Float) { add(shortened: value.description) }

  private func add(shortened text: String) {
    add(bare: text)
    if count > 2, bytes[count - 1] == UInt8(ascii: "0"), bytes[count - 2] == UInt8(ascii: ".") { count -= 2 }
  }

  /// Adds a number with the given number of decimals, whose last digit is not zero.
  private func add(_ value: Int64, decimals: Int) {
    guard decimals > 0 else { return add(value) }
    if value < 0 { add(UInt8(ascii: "-")) }
    let unit: UInt64 = decimals == 1 ? 10 : decimals == 2 ? 100 : 1_000
    add(value.magnitude / unit)
    add(UInt8(ascii: "."))
    var (rest, divisor) = (value.magnitude % unit, unit / 10)
    while divisor > 0 {
      add(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }
}
