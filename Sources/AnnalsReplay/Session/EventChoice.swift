import Annals
import AnnalsLists
import AnnalsLog

/// A choice of events in words, for example `type:Book* author:ann price > 5`.
///
/// An event must have one of the values of every key. A value after `!` excludes events. The words without a key are a
/// condition on the payload.
struct EventChoice: Sendable {
  /// The keys of the choice's words.
  static let keys = ["type", "stream", "tag", "author", "correlation", "command", "source", "grep"]

  /// The forms of the choice's words, for help and errors.
  static let forms =
    "type:PATTERN, stream:PATTERN, tag:PATTERN, author:PATTERN, correlation:ID, command:ID, source:NAME, grep:REGEX, "
    + "or a condition on the payload such as price > 5"

  private static let operators = FilterKind.any.operators.split(separator: " ")

  /// True if a word `where:` marks the condition.
  private var isMarked = false
  private var values: [String: [String]] = [:]
  /// The condition on the payload, which can be empty.
  private(set) var condition = ""

  /// Returns the values of a key.
  func values(of key: String) -> [String] { values[key] ?? [] }

  var isEmpty: Bool { values.isEmpty && condition.isEmpty }

  /// Reads a choice.
  ///
  /// - Parameter text: The words. A value with spaces is in quotes, for example `author:"Ann Lee"`.
  /// - Throws: ``ReplayError`` for a word that is neither a key with a value nor part of a condition.
  init(_ text: String) throws {
    var isValue = false
    for (space, given) in Self.words(of: text) {
      // Where words without a key are a condition on the list, as in scrub, this word begins one on the payload.
      let isBeginning = !isValue && given.hasPrefix("where:")
      let word = isBeginning ? String(given.dropFirst(6)) : given
      isMarked = isMarked || isBeginning
      if !isValue, let (key, value) = Self.keyed(word) {
        if value.isEmpty || value == "!" { throw ReplayError.usage("\(key): expected a value after the colon") }
        values[key, default: []].append(value)
        continue
      }
      // A word after an operator is the value that a field is compared with, also if it looks like a key.
      isValue = Self.operators.contains(Substring(word.lowercased()))
      condition += (condition.isEmpty ? "" : space) + word
    }
    if !condition.isEmpty { try check() }
  }

  /// Throws if the condition is none, with the key that was perhaps meant.
  private func check() throws {
    do throws(FilterError) {
      let fields = try RowCondition(condition).comparisons
      // A word alone is more likely a mistyped place than the field of a payload.
      if fields.count == 1, fields[0].isImplied, !condition.contains(" "), !isMarked {
        throw FilterError(column: condition.count + 1, expected: "an operator", found: "the end")
      }
    } catch {
      let head = condition.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if head.count == 2, !head[0].contains(" "), let key = Nearest.name(to: head[0], among: Self.keys) {
        throw ReplayError.usage("unknown key \(head[0]): in \"\(condition)\"; did you mean \(key):?")
      }
      if !condition.contains(" ") || condition.contains("..") {
        throw ReplayError.usage("expected \(PlaceRange.forms), or \(Self.forms), found \"\(condition)\"")
      }
      throw error.usage("expected \(Self.forms)", condition)
    }
  }

  /// A key and its value, if a word has this form.
  private static func keyed(_ word: String) -> (key: String, value: String)? {
    guard let colon = word.firstIndex(of: ":"), keys.contains(String(word[..<colon])) else { return nil }
    let value = String(word[word.index(after: colon)...])
    // Quotes around a part of a value, as in a regular expression, belong to the value.
    return (String(word[..<colon]), Self.isOneText(value) ? QuotedWords.split(value).joined() : value)
  }

  /// True if a value is one text in quotes.
  private static func isOneText(_ value: String) -> Bool {
    guard value.count > 1, value.hasPrefix("\"") else { return false }
    var rest = value.dropFirst()
    while let next = rest.popFirst() {
      if next == "\\" { _ = rest.popFirst() }
      if next == "\"" { return rest.isEmpty }
    }
    return false
  }

  /// The words of a text, including quotes, with the spaces before them.
  private static func words(of text: String) -> [(space: String, word: String)] {
    var (words, space, word, rest) = ([(String, String)](), "", "", text[...])
    var quote: Character?
    while let next = rest.popFirst() {
      if next == " ", quote == nil {
        if !word.isEmpty { words.append((space, word)) }
        (space, word) = (word.isEmpty ? space + " " : " ", "")
        continue
      }
      if next == quote {
        quote = nil
      } else if quote == nil, next == "\"" || next == "'" && word.isEmpty {
        quote = next
      }
      word.append(next)
      if quote != nil, next == "\\", let escaped = rest.popFirst() { word.append(escaped) }
    }
    return words + (word.isEmpty ? [] : [(space, word)])
  }
}
