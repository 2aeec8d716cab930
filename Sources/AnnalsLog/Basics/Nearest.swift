/// Functions that suggest the name that a caller might have meant.
package enum Nearest {
  /// Returns the name that is most similar to a word, or `nil` if no name is similar.
  ///
  /// Letters that are added, left out, replaced or swapped count as differences.
  package static func name(to word: String, among names: [String]) -> String? {
    self.names(to: word, among: names).first
  }

  /// Returns at most three names that are similar to a word, the most similar name first.
  ///
  /// Upper and lower case are equal.
  package static func names(to word: String, among names: [String]) -> [String] {
    let letters = Array(word.lowercased())
    var near: [(name: String, distance: Int)] = []
    for name in names {
      let (other, most) = (Array(name.lowercased()), max(1, min(3, name.count / 3)))
      // Each letter of a difference in length counts as a letter to add or to leave out.
      guard abs(other.count - letters.count) <= most else { continue }
      let found = distance(letters, other)
      if found <= most { near.append((name, found)) }
    }
    return near.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(3).map(\.element.name)
  }

  /// Returns the words that differ from a word by one letter or that the word begins with, the most likely word first.
  package static func spellings(of word: String) -> [String] {
    let letters = Array(word)
    let alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    var words: [String] = []
    func add(_ count: Int, _ change: (inout [Character], Int) -> Void) {
      for place in 0..<max(0, count) {
        var changed = letters
        change(&changed, place)
        words.append(String(changed))
      }
    }
    add(letters.count) { $0.remove(at: $1) }
    add(letters.count - 1) { $0.swapAt($1, $1 + 1) }
    for letter in alphabet {
      add(letters.count) { $0[$1] = letter }
      add(letters.count + 1) { $0.insert(letter, at: $1) }
    }
    // "registered" is of "register".
    return words + (3..<max(3, letters.count)).reversed().map { String(letters[..<$0]) }
  }

  /// The optimal string alignment distance (Boytsov 2011).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for i in 1..<max(1, left.count + 1) where i <= left.count {
      var row = [i]
      for j in 1..<max(1, right.count + 1) where j <= right.count {
        let exchange = rows[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, exchange)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
