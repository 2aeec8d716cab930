import Annals
import AnnalsLog

/// The forms of JSON in which a page keeps its data.
///
/// A browser reads numbers as doubles and would lose digits, so a number that a double does not hold exactly as it is
/// written, and every array and object, stands as a list with its text: `["1.50"]`. An empty list stands for a value
/// that is not there, and `[0]` for one that was hidden.
enum PageJSON {
  static let missing = "[]"
  static let hidden = "[0]"

  /// A value.
  static func value(_ value: JSONValue) -> String {
    switch value {
    case .null, .bool: value.text
    case .string(let text): quoted(text)
    case .number:
      isPlain(value.text) ? value.text : "[\(quoted(value.text))]"
    case .array, .object: "[\(quoted(value.text))]"
    }
  }

  static func quoted(_ text: String) -> String { JSONValue.quoted(text) }

  /// A list of values.
  static func list(_ values: some Sequence<String>) -> String { "[" + values.joined(separator: ",") + "]" }

  /// A list of numbers.
  static func list(_ numbers: [Int]) -> String { list(numbers.map { "\($0)" }) }

  /// A member of an object, or of none if it is nil.
  typealias Member = (name: String, json: String?)

  /// An object without the members that are nil.
  static func object(_ members: [Member]) -> String {
    "{" + members.compactMap { name, json in json.map { quoted(name) + ":" + $0 } }.joined(separator: ",") + "}"
  }

  /// True if a browser writes a number with the same digits after it has read it: up to fifteen digits, none of them a
  /// needless zero.
  static func isPlain(_ number: String) -> Bool {
    var digits = Array(number.utf8)
    if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard digits.count <= 15, (1...2).contains(parts.count), digits != [UInt8(ascii: "0")] || number == "0",
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
    else { return false }
    if parts.count == 1 { return true }
    return parts[1].count <= 5 && parts[1].last != UInt8(ascii: "0")
  }

  /// JSON in which nothing can end the script that it stands in, or begin a comment.
  static func inert(_ json: String) -> String {
    var safe: [UInt8] = []
    safe.reserveCapacity(json.utf8.count + json.utf8.count / 16)
    var json = json
    json.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "<"): safe += "\\u003c".utf8
        case UInt8(ascii: ">"): safe += "\\u003e".utf8
        case UInt8(ascii: "&"): safe += "\\u0026".utf8
        // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        case 0xE2 where index + 2 < bytes.count && bytes[index + 1] == 0x80 && bytes[index + 2] & 0xFE == 0xA8:
          safe += (bytes[index + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8
          index += 2
        default: safe.append(byte)
        }
        index += 1
      }
    }
    return String(decoding: safe, as: UTF8.self)
  }

  /// Text for an element of HTML.
  static func html(_ text: String) -> String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(Text.safe(text)) {
      $0.replacing($1.0, with: $1.1)
    }
  }
}

/// Words that are written once, and named by their numbers.
struct PageWords {
  private var numbers: [ExactString: Int] = [:]
  /// The words in order.
  private(set) var words: [String] = []

  /// The number of a word.
  mutating func number(_ word: String) -> Int {
    let exact = ExactString(word)
    if let known = numbers[exact] { return known }
    numbers[exact] = words.count
    words.append(word)
    return words.count - 1
  }

  /// The number of a word; nil of one that was not written.
  func known(_ word: String) -> Int? { numbers[ExactString(word)] }

  /// The words as a list of JSON.
  var json: String { PageJSON.list(words.map(PageJSON.quoted)) }
}
