import Foundation
import Testing

@testable import AnnalsReplay

/// What a terminal sends, as keys.
@Suite struct KeyTests {
  private func keys(_ text: String) -> [Key] {
    var parser = KeyParser()
    return parser.feed(text.utf8) + parser.settle()
  }

  @Test func `The page about the screens has the keys of scrub and no others`() throws {
    let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: folder.appending(path: "Docs/ToolReference.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").drop { $0 != "| key | action |" }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    func codes(_ text: Substring) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
    let others = ["PgUp": "PageUp", "PgDn": "PageDown", "−": "-"]
    let keys = ScrubKey.all.flatMap { key in
      key.label.split(separator: " ").map { others[String($0)] ?? String($0) }
    }
    #expect(keys.filter { key in !lines.contains { codes($0).contains(key) } } == [])
    // The terminal's own keys are no keys of the program.
    let heads = lines.flatMap { codes($0.split(separator: "|")[0]) }
    #expect(heads.filter { !keys.contains($0) } == ["Ctrl-Z", "Ctrl-L"])
  }

  @Test func `Arrows are keys, with shift and alt`() {
    #expect(keys("\u{1B}[C\u{1B}[D\u{1B}[A\u{1B}[B") == [.right(.none), .left(.none), .up, .down])
    #expect(keys("\u{1B}OC\u{1B}OD") == [.right(.none), .left(.none)])
    #expect(keys("\u{1B}[1;2C\u{1B}[1;2D") == [.right(.shift), .left(.shift)])
    #expect(
      keys("\u{1B}[1;3C\u{1B}[1;3D\u{1B}[1;9C\u{1B}[1;5D") == [.right(.alt), .left(.alt), .right(.alt), .left(.alt)])
    #expect(keys("\u{1B}\u{1B}[C\u{1B}b") == [.right(.alt), .left(.alt)])
    #expect(
      keys("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[5~\u{1B}[6~\u{1B}[Z") == [
        .home, .end, .home, .end, .pageUp, .pageDown, .backTab,
      ])
  }

  @Test func `An escape alone is a key once no byte follows`() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]) == [])
    #expect(parser.isWaiting)
    #expect(parser.settle() == [.escape])
    #expect(!parser.isWaiting)
    #expect(parser.feed([0x1B]) == [])
    #expect(parser.feed("[C".utf8) == [.right(.none)])
  }

  @Test func `Text may come in pieces, and broken text is left out`() {
    var parser = KeyParser()
    let bytes = Array("é字👍".utf8)
    #expect(bytes.flatMap { parser.feed([$0]) } == [.text("é"), .text("字"), .text("👍")])
    #expect(parser.feed([0xFF, 0xC3, 0x41, 0xE5, 0xAD, 0x42]) == [.text("A"), .text("B")])
    #expect(parser.feed([0x0D, 0x7F, 0x09, 0x03, 0x20]) == [.enter, .backspace, .tab, .control("c"), .text(" ")])
  }

  @Test func `Sequences that no key of ours sends are swallowed`() {
    #expect(keys("\u{1B}[31;1Rq") == [.text("q")])
    #expect(keys("\u{1B}[?1;2cq\u{1B}[[Aq\u{1B}[Mabcq\u{1B}xq") == [.text("q"), .text("q"), .text("q"), .text("q")])
    #expect(keys("\u{1B}[1;2") == [])
  }

  @Test func `The mouse clicks and turns its wheel`() {
    #expect(
      keys("\u{1B}[<0;3;2M\u{1B}[<0;3;2m\u{1B}[<64;1;1M\u{1B}[<65;80;24Mq") == [
        .click(x: 2, y: 1), .wheel(-1, x: 0, y: 0), .wheel(1, x: 79, y: 23), .text("q"),
      ])
    // Held keys don't matter. Other buttons and moves are no keys.
    #expect(keys("\u{1B}[<20;3;2M\u{1B}[<2;3;2M\u{1B}[<35;3;2M\u{1B}[<66;1;1M") == [.click(x: 2, y: 1)])
  }

  @Test func `Reports of the mouse arrive in any pieces, and broken ones are no keys`() {
    for pause in [false, true] {
      var parser = KeyParser()
      var found: [Key] = []
      for byte in "a\u{1B}[<0;12;7Mb".utf8 {
        found += parser.feed([byte])
        // A pause after an escape alone is the key itself.
        if pause, byte != 0x1B, byte != UInt8(ascii: "[") { found += parser.settle() }
      }
      #expect(found == [.text("a"), .click(x: 11, y: 6), .text("b")])
    }
    for broken in [
      "<;;M", "<0;0;1M", "<0;1M", "<0;1;1;1M", "<99999999999999999999;1;1M", "<0;99999;1M", "<-1;1;1M", "<M", "<0;1;1X",
      "<0;1;1\u{7}",
    ] {
      #expect(keys("\u{1B}[\(broken)q").filter { $0 != .control("g") } == [.text("q")], "\(broken)")
    }
    let endless = keys("\u{1B}[<" + String(repeating: "1;", count: 500) + "Mq")
    #expect(endless.contains(.text("q")) && !endless.contains { if case .click = $0 { true } else { false } })
  }

  @Test func `What is pasted is one key, whatever is in it`() {
    var parser = KeyParser()
    #expect(parser.feed("a\u{1B}[200~q\n\u{1B}[C".utf8) == [.text("a")])
    #expect(!parser.isWaiting)
    #expect(parser.feed("z\u{1B}[2".utf8) == [])
    #expect(parser.feed("01~b".utf8) == [.paste("q\n\u{1B}[Cz"), .text("b")])
  }

  @Test func `Keys are written as signs or names`() {
    #expect(
      KeyWords.keys("gg→⇧←⌥→/b3⏎q")
        == [
          .text("g"), .text("g"), .right(.none), .left(.shift), .right(.alt), .text("/"), .text("b"), .text("3"),
          .enter, .text("q"),
        ])
    #expect(
      KeyWords.keys("<Left><s-right>a<b<lt>>") == [
        .left(.none), .right(.shift), .text("a"), .text("<"), .text("b"), .text("<"), .text(">"),
      ])
  }
}
