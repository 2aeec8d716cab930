/// Keys as `--keys` writes them: `gg→→/b3⏎q`.
enum KeyWords {
  /// The names of keys that no character stands for, as help lists them.
  static let forms =
    "characters stand for themselves; ← → ↑ ↓ ⇧→ ⌥→ ⏎ ⎋ ⌫ ⇥ ⇞ ⇟ ↖ ↘, or <Left> <S-Right> <A-Right> <Enter> <Esc> "
    + "<Backspace> <Tab> <PageDown> <Home>"

  private static let signs: [Character: Key] = [
    "←": .left(.none), "→": .right(.none), "↑": .up, "↓": .down, "⏎": .enter, "↵": .enter, "⎋": .escape,
    "⌫": .backspace,
    "⇥": .tab, "⇤": .backTab, "⇞": .pageUp, "⇟": .pageDown, "↖": .home, "↘": .end, "␣": .text(" "), "\n": .enter,
    "\t": .tab,
  ]

  private static let names: [String: Key] = [
    "left": .left(.none), "right": .right(.none), "s-left": .left(.shift), "s-right": .right(.shift),
    "a-left": .left(.alt), "a-right": .right(.alt), "up": .up, "down": .down, "enter": .enter, "esc": .escape,
    "backspace": .backspace, "tab": .tab, "s-tab": .backTab, "pageup": .pageUp, "pagedown": .pageDown, "home": .home,
    "end": .end, "space": .text(" "), "lt": .text("<"), "c-c": .control("c"), "c-l": .control("l"),
    "c-b": .control("b"), "c-d": .control("d"), "c-f": .control("f"), "c-u": .control("u"),
  ]

  /// The keys that a text names; every text names some.
  static func keys(_ text: String) -> [Key] {
    var (keys, rest) = ([Key](), text[...])
    while let first = rest.first {
      rest.removeFirst()
      if first == "<", let end = rest.firstIndex(of: ">"), let key = names[rest[..<end].lowercased()] {
        keys.append(key)
        rest = rest[rest.index(after: end)...]
        continue
      }
      if first == "⇧" || first == "⌥", let arrow = rest.first, arrow == "←" || arrow == "→" {
        let modifier: Key.Modifier = first == "⇧" ? .shift : .alt
        keys.append(arrow == "←" ? .left(modifier) : .right(modifier))
        rest.removeFirst()
        continue
      }
      keys.append(signs[first] ?? .text(first))
    }
    return keys
  }
}
