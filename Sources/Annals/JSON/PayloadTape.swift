/// A JSON text that was gone through once: a flat list of its tokens, and the bytes that they stand for.
///
/// A coder keeps one and loads it anew for each event, so that reading an event allocates no memory but the event's own.
/// Whoever holds a decoder, or a ``PayloadValue``, holds the tape: what is still held is not loaded anew.
///
/// `@unchecked Sendable`: it is loaded by the coder that makes it, before anybody else has it, and only read after that;
/// the list of keys and the indexes, which reading adds to, belong to the decoding, which one thread does.
final class PayloadTape: @unchecked Sendable {
  enum Kind: UInt8 {
    case null, yes, no
    /// A number without a fraction and without an exponent.
    case integer
    /// Any other number.
    case number
    /// A string whose text is its value.
    case plain
    /// A string with escapes.
    case escaped
    case array
    case object
  }

  struct Token {
    var kind: Kind
    /// Where its text begins; a string's without the quote.
    var start: UInt32
    /// How long its text is; for an array the number of its elements, for an object that of its members.
    var count: UInt32
    /// The token after it and all that it holds.
    var next: UInt32
  }

  /// The token that stands for what is not there: a null.
  static let missing = 0
  /// The token of the whole.
  static let root = 1
  /// Values nested deeper are refused: a reader that follows them would run out of stack.
  static let maximumDepth = 512

  /// The text, and eight bytes of zero after it.
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var byteCount = 0
  private var byteCapacity: Int
  private(set) var tokens: UnsafeMutablePointer<Token>
  private(set) var tokenCount = 0
  private var tokenCapacity: Int
  /// The keys by which values were asked for: a key knows more than its text.
  var askedKeys: [(token: Int, key: any CodingKey)] = []
  /// By object: where to find the members of one that has many.
  var indexes: [Int: [UInt32]] = [:]

  init() {
    byteCapacity = 512
    tokenCapacity = 32
    bytes = .allocate(capacity: byteCapacity + 8)
    tokens = .allocate(capacity: tokenCapacity)
  }

  deinit {
    bytes.deallocate()
    tokens.deallocate()
  }

  /// Reads bytes that are one JSON value, strictly by RFC 8259; that strings are UTF-8 is seen when they are read.
  func load(_ source: UnsafeRawBufferPointer) throws(JSONScanner.Failure) {
    guard source.count < Int(Int32.max) else {
      throw JSONScanner.Failure(message: "expected at most \(Int32.max) bytes, found \(source.count)", byte: 1)
    }
    if source.count > byteCapacity {
      bytes.deallocate()
      byteCapacity = max(source.count, 2 * byteCapacity)
      bytes = .allocate(capacity: byteCapacity + 8)
    }
    if let start = source.baseAddress {
      UnsafeMutableRawPointer(bytes).copyMemory(from: start, byteCount: source.count)
    }
    byteCount = source.count
    for place in 0..<8 { bytes[byteCount + place] = 0 }
    if !askedKeys.isEmpty { askedKeys.removeAll(keepingCapacity: askedKeys.count < 1_024) }
    if !indexes.isEmpty { indexes = [:] }
    tokenCount = 0
    _ = add(.null, start: 0, count: 0)
    var scan = PayloadScan(self)
    try scan.whole()
  }

  /// Adds a token, and answers its index.
  func add(_ kind: Kind, start: Int, count: Int) -> Int {
    if tokenCount == tokenCapacity {
      let more = UnsafeMutablePointer<Token>.allocate(capacity: 2 * tokenCapacity)
      more.moveInitialize(from: tokens, count: tokenCount)
      tokens.deallocate()
      (tokens, tokenCapacity) = (more, 2 * tokenCapacity)
    }
    let index = tokenCount
    (tokens + index).initialize(
      to: Token(
        kind: kind, start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count),
        next: UInt32(truncatingIfNeeded: index + 1)))
    tokenCount = index + 1
    return index
  }

  /// Ends an array or an object after its last token.
  func close(_ index: Int, count: Int) {
    tokens[index].count = UInt32(truncatingIfNeeded: count)
    tokens[index].next = UInt32(truncatingIfNeeded: tokenCount)
  }

  /// The kind of a token.
  func kind(_ token: Int) -> Kind { tokens[token].kind }

  /// The bytes of a string's or a number's text.
  func text(_ token: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + Int(tokens[token].start), count: Int(tokens[token].count))
  }
}
