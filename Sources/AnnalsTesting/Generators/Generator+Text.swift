extension Generator where Value == String {
  /// A generator of strings, including difficult ones.
  ///
  /// The simplest are ASCII letters, `a` first. Others are characters with two spellings that are equal in Swift but
  /// not in a database, NUL, marks that change the direction of writing, emoji of several scalars, line ends, quotes,
  /// and scalars at the limits of Unicode's planes.
  ///
  /// - Parameter count: The permitted numbers of pieces; by default any number, mostly few.
  /// - Returns: The generator.
  public static func string(count: ClosedRange<Int> = 0...Int.max) -> Generator {
    let plain = Generator.element(of: TextPieces.plain)
    let nasty = Generator.element(of: TextPieces.nasty)
    let scalar = Generator<UInt32>.integer(in: 0...0x10F7FF).map { number in
      // All scalars except the surrogates, which lie between.
      let value = number < 0xD800 ? number : number + 0x800
      return Unicode.Scalar(value).map { String(Character($0)) } ?? ""
    }
    let piece = frequency([(6, plain), (2, nasty), (1, scalar)])
    return Generator<[String]>.array(of: piece, count: count).map { $0.joined() }
  }

  /// A generator of strings with characters from an alphabet.
  ///
  /// - Parameters:
  ///   - alphabet: The characters; the first ones are simpler.
  ///   - count: The permitted numbers of characters; by default any number, mostly few.
  /// - Returns: The generator.
  public static func string(of alphabet: String, count: ClosedRange<Int> = 0...Int.max) -> Generator {
    Generator<[Character]>.array(of: .element(of: Array(alphabet)), count: count).map { String($0) }
  }
}

enum TextPieces {
  static let plain: [String] = {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;!?/\\'\"`$%&()[]{}<>=+*#@~^|"
    return letters.map { String($0) }
  }()

  static let nasty: [String] = [
    "\u{E9}", "e\u{301}", "\u{C5}", "A\u{30A}", "\u{212B}", "\u{1100}\u{1161}", "\u{AC00}", "\u{0}", "\n", "\r\n", "\r",
    "\t", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{200B}", "\u{200D}", "\u{202E}", "\u{2066}",
    "\u{5D0}", "\u{627}\u{644}", "\u{301}", "a\u{323}\u{307}", "\u{DF}", "\u{1E9E}", "\u{130}", "\u{131}", "\u{3C2}",
    "\u{FB01}", "\u{1F600}", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}\u{1F1EA}", "\u{1F1E9}",
    "\u{1F44D}\u{1F3FD}", "\u{FFFD}", "\u{FFFF}", "\u{D7FF}", "\u{E000}", "\u{10000}", "\u{10FFFF}", "%@", "%n", "';--",
    "\\u0000", "null", "../",
  ]
}
