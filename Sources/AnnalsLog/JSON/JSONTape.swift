/// A JSON string after one scan: a flat list of its tokens, and the bytes to which the tokens refer.
///
/// A coder keeps a tape and reloads it for every event, so that reading an event allocates memory only for the event
/// itself. If a decoder or a ``PayloadValue`` still references the tape, it is not reloaded.
///
/// `@unchecked Sendable`: the coder that creates a tape loads it before any other code uses the tape. After that, the
/// tape's tokens are only read. Reading extends only the list of keys and the indexes, and all reading happens on the
/// thread that decodes.
final class JSONTape: @unchecked Sendable {
  enum Kind: UInt8 {
    case null, yes, no
    /// A number without a fraction and without an exponent.
    case integer
    /// Any other number.
    case number
    /// A string whose JSON equals its value.
    case plain
    /// A string with escapes.
    case escaped
    case array
    case object
  }

  struct Token {
    var kind: Kind
    /// The offset of the token's JSON.
    ///
    /// For a string, this is the offset after the quote.
    var start: UInt32
    /// The length of the token's JSON, or the number of an array's elements or an object's members.
    ///
    /// For an array or object whose contents have no tokens, it is the length of the JSON.
    var count: UInt32
    /// The first token after the token and its contents.
    var next: UInt32
  }

  /// The part of the JSON for which tokens are created.
  ///
  /// The whole JSON is checked in any case.
  enum Extent {
    case whole
    /// The members of an object or the elements of an array, but not their contents.
    ///
    /// In this case, the nesting limit applies to every member separately, because the object is only an envelope.
    case members
    /// Only the outermost value.
    case nothing

    /// The maximum depth at which arrays and objects keep their contents.
    var depth: Int {
      switch self {
      case .whole: .max
      case .members: 1
      case .nothing: 0
      }
    }
  }

  /// The token for missing values, which is a null.
  static let missing = 0
  /// The token of the outermost value.
  static let root = 1

  /// The JSON, followed by eight zero bytes.
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var byteCount = 0
  private var byteCapacity: Int
  private(set) var tokens: UnsafeMutablePointer<Token>
  private(set) var tokenCount = 0
  private var tokenCapacity: Int
  /// The keys for which values were requested.
  ///
  /// They are stored for coding paths, because a key can't be recreated from its string alone.
  var askedKeys: [(token: Int, key: any CodingKey)] = []
  /// Lookup tables of members for objects with many members.
  var indexes: [Int: [UInt32]] = [:]

  init() {
    byteCapacity = 512
    tokenCapacity = 32
    bytes = .allocate(capacity: byteCapacity + 8)
    tokens = .allocate(capacity: tokenCapacity)
  }

  /// Creates a tape with a null.
  static func null() -> JSONTape {
    let tape = JSONTape()
    for _ in [missing, root] { _ = tape.add(.null, start: 0, count: 0) }
    return tape
  }

  deinit {
    bytes.deallocate()
    tokens.deallocate()
  }

  /// Loads a string that is one JSON value.
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

  /// Loads bytes that are one JSON value according to RFC 8259.
  ///
  /// Invalid UTF-8 in strings is detected when they are read.
  ///
  /// - Parameters:
  ///   - source: The bytes of the JSON.
  ///   - isStrict: True to refuse duplicate names in an object, and exponents beyond ±1,000,000,000.
  ///   - extent: The part of the JSON for which tokens are created.
  /// - Throws: `JSONFailure` with the problem and its place.
  func load(
    _ source: UnsafeRawBufferPointer, strictly isStrict: Bool = false, keeping extent: Extent = .whole
  ) throws(JSONFailure) {
    guard source.count < Int(Int32.max) else {
      throw JSONFailure(message: "expected fewer than \(Int32.max) bytes of JSON, found \(source.count)", byte: 1)
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

  /// Adds a token, and returns its index.
  func add(_ kind: Kind, start: Int, count: Int) -> Int {
    if tokenCount == tokenCapacity {
      let more = UnsafeMutablePointer<Token>.allocate(capacity: 2 * tokenCapacity)
      more.moveInitialize(from: tokens, count: tokenCount)
      tokens.deallocate()
      tokens = more
      tokenCapacity = 2 * tokenCapacity
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

  /// Removes the tokens inside an array or an object, and stores the length of its JSON.
  func fold(_ index: Int, end: Int) {
    cut(after: index)
    tokens[index].count = UInt32(truncatingIfNeeded: end) - tokens[index].start
    tokens[index].next = UInt32(truncatingIfNeeded: tokenCount)
  }

  /// Removes all tokens after a token.
  func cut(after index: Int) {
    tokenCount = index + 1
    if !indexes.isEmpty { indexes = [:] }
  }

  /// Returns the kind of a token.
  func kind(_ token: Int) -> Kind { tokens[token].kind }

  /// Returns the bytes of a string's or a number's JSON.
  func text(_ token: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + Int(tokens[token].start), count: Int(tokens[token].count))
  }
}
