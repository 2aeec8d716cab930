/// A pattern of names: `*` is any text, `?` any character; without them it is the name itself.
struct Glob: Sendable {
  /// The pattern.
  let text: String
  /// True if the pattern names one text.
  let isExact: Bool
  private let pattern: [Character]

  init(_ text: String) {
    self.text = text
    pattern = Array(text)
    isExact = !pattern.contains("*") && !pattern.contains("?")
  }

  /// True if a text fits the pattern.
  ///
  /// - Complexity: O(n m) at most for a text of n and a pattern of m characters.
  func matches(_ name: String) -> Bool {
    if isExact { return name.unicodeScalars.elementsEqual(text.unicodeScalars) }
    let name = Array(name)
    var (place, at) = (0, 0)
    var star: (place: Int, at: Int)?
    while at < name.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[at] {
        (place, at) = (place + 1, at + 1)
      } else if let last = star {
        // The last star takes one character more.
        star = (last.place, last.at + 1)
        (place, at) = (last.place + 1, last.at + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
