/// A JSON text that was gone through once: a flat list of its tokens, and the bytes that they stand for.
///
/// A coder keeps one and loads it again for each event, so that reading an event allocates no memory but the event's
/// own. A decoder or a ``PayloadValue`` that is kept keeps the tape, which is then not loaded again.
///
/// `@unchecked Sendable`: the coder that makes it loads it before anyone else has it, and it is only read after that.
/// The list of keys and the indexes, which reading adds to, belong to the decoding, which one thread does.
final class JSONTape: @unchecked Sendable {
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
    /// How long its text is; for an array the number of its elements, for an object that of its members, and for one
    /// that keeps no tokens again how long its text is.
    var count: UInt32
    /// The token after it and all that it holds.
    var next: UInt32
  }

  /// How much of a text gets tokens; all of it is checked.
  enum Extent {
    case whole
    /// The members of an object, or the elements of an array, and nothing inside of them.
    ///
    /// The object is an envelope then: the limit of nesting holds for each member by itself.
    case members
    /// The outermost value.
    case nothing

    /// Arrays and objects at this depth keep what they hold, deeper ones do not.
    var depth: Int {
      switch self {
      case .whole: .max
      case .members: 1
      case .nothing: 0
      }
    }
  }

  /// The token that stands for what is not there: a null.
  static let missing = 0
  /// The token of the whole.
  static let root = 1

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

  /// A tape of a null.
  static func null() -> JSONTape {
    let tape = JSONTape()
    for _ in [missing, root] { _ = tape.add(.null, start: 0, count: 0) }
    return tape
  }

  deinit {
    bytes.deallocate()
    tokens.deallocate()
  }

  /// Reads a text that is one JSON value.
  func load(_ text: String, strictly isStrict: Bool = false, keeping extent: Extent = .whole) throws(JSONFailure) {
    var text = text
    let failure = text.withUTF8 { bytes -> JSONFailure? in
      do throws(JSONFailure) {
        try load(UnsafeRawBufferPointer(bytes), strictly: isStrict, keeping: extent)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Reads bytes that are one JSON value by RFC 8259; that strings are UTF-8 is seen when they are read.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - isStrict: True to refuse a name that stands twice in an object, and an exponent beyond ±1,000,000,000.
  ///   - extent: How much of it gets tokens.
  /// - Throws: What is wrong with the text, and where.
  func load(
    _ source: UnsafeRawBufferPointer, strictly isStrict: Bool = false, keeping extent: Extent = .whole
  ) throws(JSONFailure) {
    guard source.count < Int(Int32.max) else {
      throw JSONFailure(message: "expected at most \(Int32.max) bytes, found \(source.count)", byte: 1)
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
    for offset in 0..<8 { bytes[byteCount + offset] = 0 }
    if !askedKeys.isEmpty { askedKeys.removeAll(keepingCapacity: askedKeys.count < 1_024) }
    if !indexes.isEmpty { indexes = [:] }
    tokenCount = 0
    _ = add(.null, start: 0, count: 0)
    var scan = JSONScan(self, strictly: isStrict, keeping: extent)
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
  func close(_ index: Int) { tokens[index].next = UInt32(truncatingIfNeeded: tokenCount) }

  /// Takes away the tokens of what an array or an object holds, and notes where its text ends.
  func fold(_ index: Int, end: Int) {
    cut(after: index)
    tokens[index].count = UInt32(truncatingIfNeeded: end) - tokens[index].start
    tokens[index].next = UInt32(truncatingIfNeeded: tokenCount)
  }

  /// Takes away all tokens behind one.
  func cut(after index: Int) {
    tokenCount = index + 1
    if !indexes.isEmpty { indexes = [:] }
  }

  /// The kind of a token.
  func kind(_ token: Int) -> Kind { tokens[token].kind }

  /// The bytes of a string's or a number's text.
  func text(_ token: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + Int(tokens[token].start), count: Int(tokens[token].count))
  }
}
