import AnnalsTesting
import Testing

@testable import AnnalsReplay

/// Screens and what is sent to a terminal to show them.
@Suite struct ScreenTests {
  /// A terminal that understands what a difference sends.
  private struct Glass {
    var cells: [[String]]
    let columns: Int
    var (x, y) = (0, 0)

    init(_ columns: Int, _ rows: Int) {
      self.columns = columns
      cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    mutating func take(_ text: String) {
      var rest = Array(text)[...]
      while let character = rest.popFirst() {
        guard character == "\u{1B}" else {
          let width = Text.width(character)
          cells[y][x] = String(character)
          for column in x + 1..<max(x + 1, x + width) { cells[y][column] = "" }
          x += width
          continue
        }
        rest.removeFirst()
        var numbers = ""
        while let next = rest.first, !next.isLetter {
          numbers.append(next)
          rest.removeFirst()
        }
        switch rest.popFirst() {
        case "H":
          let parts = numbers.split(separator: ";").compactMap { Int($0) }
          (y, x) = (parts[0] - 1, parts[1] - 1)
        case "J": cells = cells.map { $0.map { _ in " " } }
        default: break
        }
      }
    }

    var lines: [String] { cells.map { $0.joined() } }
  }

  static func check(_ screen: Screen) {
    for row in 0..<screen.rows {
      let cells = Array(screen.row(row))
      #expect(cells.count == screen.columns)
      var column = 0
      while column < cells.count {
        let width = cells[column].width
        #expect(width > 0, "a character begins in column \(column) of row \(row)")
        guard width > 0 else { return }
        #expect(Text.width(cells[column].text) == width && cells[column].text.count == 1)
        #expect(column + width <= cells.count, "a character goes over the edge in row \(row)")
        for rest in column + 1..<min(cells.count, max(column + 1, column + width)) {
          #expect(cells[rest].width == 0 && cells[rest].text.isEmpty)
        }
        #expect(!cells[column].text.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value })
        column += width
      }
    }
  }

  @Test func `A wide character is never cut in two`() {
    var screen = Screen(columns: 5, rows: 2)
    screen.write("a字字字", 0, 0)
    #expect(screen.lines[0] == "a字…")
    screen.write("字字字", 0, 1, isCut: false)
    #expect(screen.lines[1] == "字字")
    Self.check(screen)
    screen.write("x", 1, 1)
    #expect(screen.lines[1] == " x字")
    screen.write("字", 1, 1)
    #expect(screen.lines[1] == " 字")
    Self.check(screen)
    screen.write("字", 4, 0)
    Self.check(screen)
    screen.write("abc", 9, 0)
    screen.write("abc", 0, 9)
    Self.check(screen)
  }

  @Test func `Nothing in a text controls the terminal`() {
    var screen = Screen(columns: 40, rows: 1)
    screen.write("a\u{1B}[2Jb\r\n\u{9B}1m\u{202E}c", 0, 0)
    Self.check(screen)
    let sent = ScreenDiff(hasColour: false).text(from: Screen(columns: 40, rows: 1), to: screen)
    #expect(!sent.contains("\u{1B}[2J") && !sent.contains("\n") && !sent.contains("\r") && !sent.contains("\u{202E}"))
  }

  @Test func `A terminal that takes the differences shows the screen`() {
    var random = SplitMix64(seed: 7)
    let texts = ["a", "Book 3", "字", "👩‍👩‍👧‍👦", "e\u{301}x", "│──", " ", "🇩🇪", "→", "zz\u{200B}z", "कि", "가나"]
    var glass = Glass(30, 6)
    var shown: Screen?
    for round in 0..<400 {
      var screen = shown ?? Screen(columns: 30, rows: 6)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let text = texts.randomElement(using: &random) ?? ""
        let style: CellStyle = Bool.random(using: &random) ? .plain : .chosen
        screen.write(
          text, Int.random(in: 0..<32, using: &random), Int.random(in: 0..<7, using: &random),
          width: Int.random(in: 0...9, using: &random), style)
      }
      Self.check(screen)
      // Now and then the terminal's content is not known.
      glass.take(ScreenDiff(hasColour: true).text(from: round.isMultiple(of: 50) ? nil : shown, to: screen))
      shown = screen
      #expect(glass.lines == (0..<6).map { screen.row($0).map(\.text).joined() })
    }
  }

  @Test func `Without a difference nothing is sent, and without colours attributes stay`() {
    var screen = Screen(columns: 10, rows: 2)
    screen.write("red", 0, 0, CellStyle(colour: .red, isReversed: true))
    #expect(ScreenDiff(hasColour: true).text(from: screen, to: screen).isEmpty)
    let plain = ScreenDiff(hasColour: false).text(from: nil, to: screen)
    #expect(plain.contains("\u{1B}[0;7m") && !plain.contains("31"))
    #expect(ScreenDiff(hasColour: true).text(from: nil, to: screen).contains("\u{1B}[0;7;31m"))
  }

  @Test func `Long text is wrapped at spaces, and longer words anywhere`() {
    func wrapped(_ text: String, to columns: Int) -> [String] {
      Screen.wrapped([(text, .plain)], to: columns).map { $0.map(\.text).joined() }
    }
    #expect(wrapped("one two three", to: 7) == ["one two", "three"])
    #expect(wrapped("abcdefgh ij", to: 3) == ["abc", "def", "gh", "ij"])
    #expect(wrapped("  a: bcd", to: 6) == ["  a:", "  bcd"])
    #expect(wrapped("字字字", to: 5) == ["字字", "字"])
    #expect(wrapped("", to: 5) == [""])
    #expect(wrapped("one (two)   three", to: 10) == ["one (two) ", "three"])
    let pieces = Screen.wrapped([("one ", .bold), ("two", .dim)], to: 5)
    #expect(pieces.map { $0.map(\.text).joined() } == ["one", "two"])
    #expect(pieces[0].allSatisfy { $0.style == .bold } && pieces[1].allSatisfy { $0.style == .dim })
  }

  @Test func `A line of several pieces has one ellipsis, at the end of all that fits`() {
    func written(_ texts: [String], _ width: Int) -> String {
      var screen = Screen(columns: 20, rows: 1)
      screen.write("....................", 0, 0)
      let end = screen.write(texts.map { ($0, .plain) }, 2, 0, width: width)
      Self.check(screen)
      return String(screen.lines[0].dropFirst(2).dropLast(20 - end))
    }
    #expect(written(["ab", "漢字漢", "xyz"], 11) == "ab漢字漢xyz")
    #expect(written(["ab", "漢字漢", "xyz"], 10) == "ab漢字漢x…")
    #expect(written(["ab", "漢字漢", "xyz"], 9) == "ab漢字漢…")
    #expect(written(["ab", "漢字漢", "xyz"], 8) == "ab漢字…")
    #expect(written(["ab", "xyz"], 2) == "a…")
    #expect(written(["ab", ""], 2) == "ab")
    #expect(written(["ab", "c"], 0) == "")
    var random = SplitMix64(seed: 3)
    for _ in 0..<300 {
      let texts = (0..<4).map { _ in
        String((0..<Int.random(in: 0...4, using: &random)).map { _ in "a字é".randomElement(using: &random) ?? "a" })
      }
      let (all, width) = (texts.joined(), Int.random(in: 1...12, using: &random))
      var short = all
      while Text.width(short) > width - 1 { short.removeLast() }
      #expect(written(texts, width) == (Text.width(all) <= width ? all : short + "…"), "\(texts) in \(width)")
    }
  }
}
