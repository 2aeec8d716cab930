/// Words between spaces, with quotes around a word that contains spaces: `6 author:"Ann Lee"`.
enum QuotedWords {
  /// The words of a text.
  ///
  /// A quote that is not closed goes on to the end. In quotes `\"` is a quote, and `\\` a backslash.
  static func split(_ text: String) -> [String] {
    var (words, word, isQuoted, rest) = ([String](), nil as String?, false, text[...])
    while let next = rest.popFirst() {
      if isQuoted, next == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
        word = (word ?? "") + String(rest.removeFirst())
      } else if next == "\"" {
        isQuoted.toggle()
        word = word ?? ""
      } else if next == " ", !isQuoted {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(next)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  /// A text that splits into the words.
  static func join(_ words: [String]) -> String {
    words.map { word in
      let isPlain = !word.isEmpty && !word.contains { $0 == " " || $0 == "\"" || $0 == "\\" }
      return isPlain ? word : "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }.joined(separator: " ")
  }
}
