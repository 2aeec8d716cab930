extension Generator where Value == String {
  /// Returns a generator of strings, including strings that often reveal bugs.
  ///
  /// In addition to ASCII letters, the strings contain:
  /// - characters with two spellings that are equal in Swift but not in a database
  /// - NUL, line breaks and quotes
  /// - marks that change the writing direction
  /// - emoji of several scalars
  /// - parts of file paths and of format strings
  /// - scalars at the limits of Unicode's planes
  ///
  /// A failing string shrinks scalar by scalar. If the property also fails for ASCII letters, the string shrinks to
  /// letters, and toward the letter `a`.
  ///
  /// - Parameter count: The permitted numbers of pieces, which can't be negative. By default, any number is permitted,
  ///   but small numbers are more frequent. A piece is usually one scalar, such as a letter or a quote. Some pieces
  ///   have several scalars, for example an emoji, or a letter with an accent. Two pieces can form one `Character`,
  ///   such as CR and LF.
  /// - Returns: The generator.
  public static func string(count: ClosedRange<Int> = 0...Int.max) -> Generator {
    Generator { source in
      var text = DrawnText(count)
      return try text.draw(from: source)
    }
  }

  /// Returns a generator of strings with characters from an alphabet.
  ///
  /// If a character has another spelling, such as "\u{E9}" and "e\u{301}", one draw in ten returns the other spelling.
  ///
  /// - Parameters:
  ///   - alphabet: The characters. Failing strings shrink toward the first character.
  ///   - count: The permitted numbers of characters. By default, any number is permitted, but small numbers are more
  ///     frequent.
  ///   - fileID: The file that contains the call, for the report if the alphabet is empty.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func string(
    of alphabet: String, count: ClosedRange<Int> = 0...Int.max, fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    let characters = Array(alphabet)
    let bound = UInt64(max(characters.count, 1) - 1)
    let least = characters.first?.utf8.count ?? 1
    let character = Generator<Character>.element(of: characters, fileID: fileID, line: line)
    return Generator { source in
      var text = ""
      try source.repeated(count) {
        let next = try character.draw(source)
        text.append(next)
        // Adds choices until their number matches the simplest characters of the same total size in bytes, as in a
        // string without an alphabet.
        for _ in 0..<((next.utf8.count - 1) / least) {
          try source.force(1, through: 1)
          try source.force(0, through: bound)
        }
        return true
      }
      return text
    }
  }
}

/// A string that is drawn scalar by scalar.
///
/// A piece of several scalars, such as `../`, is drawn as single scalars so that all of them shrink. For every byte of
/// a scalar, the draw makes the number of choices that a letter needs. Otherwise, an emoji would be simpler than four
/// letters, and a string that exceeds a byte limit would have several smallest forms.
private struct DrawnText {
  /// The kinds of scalars, with simpler kinds first.
  private enum Kind: UInt64, CaseIterable {
    case plain, nasty, any
    /// A nasty scalar that belongs to the previous piece.
    case joined

    static let last = UInt64(allCases.count - 1)
  }

  /// The index of the last scalar when surrogates aren't counted.
  private static let lastScalar: UInt64 = 0x10F7FF

  private let least: Int
  private let most: Int
  private var text = String.UnicodeScalarView()
  /// The number of pieces so far.
  private var made = 0
  /// The remaining scalars of a random piece.
  ///
  /// These scalars are only proposals: if the case's choices differ, the choices take precedence.
  private var proposed: [(kind: Kind, index: UInt64)] = []

  init(_ count: ClosedRange<Int>) {
    least = count.lowerBound
    most = count.upperBound
  }

  mutating func draw(from source: Draw) throws -> String {
    guard least >= 0 else { throw Discarded.noValue("a string must have at least 0 pieces (was \(least)...\(most))") }
    let average = Swift.min(source.averageCount, (Double(most) - Double(least)) / 2)
    let probability = least == most ? 1 : average / (1 + average)
    let whole = source.open(.collection)
    do {
      while true {
        let span = source.open(.element)
        guard try isMore(source, probability) else {
          // The end isn't an element, so shrinking must not swap it with an element.
          source.spans[Int(span)].label = .other
          source.close(span)
          source.close(whole)
          return String(text)
        }
        try drawScalar(from: source)
        source.close(span)
      }
    } catch {
      source.closeAll(from: whole)
      throw error
    }
  }

  private func isMore(_ source: Draw, _ probability: Double) throws -> Bool {
    if made < least { return try source.flip(probability, forced: true) }
    // At the maximum number of pieces, the end isn't forced, because the last piece can have more scalars. If the
    // maximum is 0, the string has no last piece.
    if made >= most, most == 0 { return try source.flip(probability, forced: false) }
    if let next = proposed.first {
      let isRoom = made < most || next.kind == .joined
      return try source.choose(through: 1) { _ in isRoom ? 1 : 0 } == 1
    }
    return try source.flip(made >= most ? 0 : probability)
  }

  private mutating func drawScalar(from source: Draw) throws {
    let (kind, scalar) = try source.span(.branch) {
      let kind = try drawKind(from: source)
      return (kind, try self.scalar(of: kind, from: source))
    }
    text.append(scalar)
    if kind != .joined || made == 0 { made += 1 }
    // Adds choices until their number matches letters of the same total size in bytes. In a simpler case, the added
    // choices are read as letters.
    for _ in 1..<scalar.utf8.count {
      try source.force(1, through: 1)
      try source.force(Kind.plain.rawValue, through: Kind.last)
      try source.force(0, through: UInt64(TextPieces.plain.count - 1))
    }
  }

  private mutating func drawKind(from source: Draw) throws -> Kind {
    guard made < most else {
      try source.force(Kind.joined.rawValue, through: Kind.last)
      return .joined
    }
    let index = try source.choose(through: Kind.last) { random in
      if proposed.isEmpty { propose(source, &random) }
      return proposed[0].kind.rawValue
    }
    return Kind(rawValue: index) ?? .plain
  }

  private mutating func scalar(of kind: Kind, from source: Draw) throws -> Unicode.Scalar {
    let bound =
      switch kind {
      case .plain: UInt64(TextPieces.plain.count - 1)
      case .nasty, .joined: UInt64(TextPieces.nasty.count - 1)
      case .any: Self.lastScalar
      }
    let index = try source.choose(through: bound) { random in
      proposed.isEmpty ? random.next(through: bound) : Swift.min(proposed.removeFirst().index, bound)
    }
    switch kind {
    case .plain: return TextPieces.plain[Int(index)]
    case .nasty, .joined: return TextPieces.nasty[Int(index)]
    case .any:
      // All scalars except the surrogates, which are in the middle.
      return Unicode.Scalar(UInt32(index < 0xD800 ? index : index + 0x800)) ?? "a"
    }
  }

  /// Draws a random piece.
  private mutating func propose(_ source: Draw, _ random: inout SplitMix64) {
    switch random.index(weights: [6, 2, 1], in: source.swarm(of: 3)) {
    case 0: proposed = [(.plain, random.next(below: UInt64(TextPieces.plain.count)))]
    case 1:
      let count = UInt64(TextPieces.pieces.count)
      proposed = TextPieces.pieces[Int(random.next(below: count, in: source.swarm(of: count)))].map { scalar in
        (scalar.isJoined ? .joined : scalar.isPlain ? .plain : .nasty, scalar.index)
      }
    default:
      let spiral = Spiral(above: Self.lastScalar, below: 0)
      proposed = [(.any, Spread.index(through: Self.lastScalar, spiral: spiral, from: 0, using: &random))]
    }
  }
}

enum TextPieces {
  /// A scalar of a piece.
  struct Part: Sendable {
    let isPlain: Bool
    /// The index among the plain or nasty scalars.
    let index: UInt64
    /// Whether this is a nasty scalar but not the first one of its piece.
    let isJoined: Bool
  }

  static let plain: [Unicode.Scalar] = {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;!?/\\'\"`$%&()[]{}<>=+*#@~^|"
    return Array(letters.unicodeScalars)
  }()

  /// The scalars of difficult pieces that aren't plain, in the order of their first occurrence.
  static let nasty: [Unicode.Scalar] = {
    var seen = Set(plain)
    return difficult.flatMap(\.unicodeScalars).filter { seen.insert($0).inserted }
  }()

  /// The difficult pieces as scalars.
  static let pieces: [[Part]] = difficult.map { piece in
    piece.unicodeScalars.enumerated().map { place, scalar in
      if let index = plain.firstIndex(of: scalar) { return Part(isPlain: true, index: UInt64(index), isJoined: false) }
      return Part(isPlain: false, index: UInt64(nasty.firstIndex(of: scalar) ?? 0), isJoined: place > 0)
    }
  }

  private static let difficult: [String] = [
    "\u{E9}", "e\u{301}", "\u{C5}", "A\u{30A}", "\u{212B}", "\u{1100}\u{1161}", "\u{AC00}", "\u{0}", "\n", "\r\n", "\r",
    "\t", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{200B}", "\u{200D}", "\u{202E}", "\u{2066}",
    "\u{5D0}", "\u{627}\u{644}", "\u{301}", "a\u{323}\u{307}", "\u{DF}", "\u{1E9E}", "\u{130}", "\u{131}", "\u{3C2}",
    "\u{FB01}", "\u{1F600}", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}\u{1F1EA}", "\u{1F1E9}",
    "\u{1F44D}\u{1F3FD}", "\u{FFFD}", "\u{FFFF}", "\u{D7FF}", "\u{E000}", "\u{10000}", "\u{10FFFF}", "%@", "%n", "';--",
    "\\u0000", "null", "../",
  ]
}
