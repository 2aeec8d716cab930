import Annals
import AnnalsLog
import Foundation

/// Text for people.
enum Text {
  static func counted(_ number: Int, _ noun: String, _ nouns: String) -> String {
    "\(number) \(number == 1 ? noun : nouns)"
  }

  static func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// A number with a comma after each three digits: 1,234,567.
  static func grouped(_ number: Int) -> String {
    let digits = Array("\(number.magnitude)")
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Several words as a sentence lists them: a, b or c.
  static func either(_ words: [String]) -> String {
    words.count < 2
      ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
  }

  /// The sum of numbers, which a log may hold of any size, or the largest number if the sum is larger.
  static func sum(_ numbers: some Sequence<Int>) -> Int {
    numbers.reduce(0) { sum, number in
      let (result, isTooLarge) = sum.addingReportingOverflow(number)
      return isTooLarge ? .max : result
    }
  }

  /// A text that is sorted as people count: the keys of f2 and f10 are f02 and f110.
  ///
  /// A number begins with its length, in digits that are each at most 9.
  static func naturalKey(_ text: String) -> String {
    var (key, digits) = ("", "")
    func length(_ count: Int) -> String { count > 9 ? "9" + length(count - 9) : "\(count - 1)" }
    func number() -> String {
      let significant = digits.drop { $0 == "0" }
      return digits.isEmpty ? "" : length(max(1, significant.count)) + (significant.isEmpty ? "0" : significant)
    }
    for scalar in text.unicodeScalars {
      if ("0"..."9").contains(scalar) {
        digits.unicodeScalars.append(scalar)
      } else {
        key += number()
        digits = ""
        key.unicodeScalars.append(scalar)
      }
    }
    return key + number()
  }

  /// Texts without earlier equal texts.
  static func different(_ texts: [String]) -> [String] {
    var seen: Set<ExactString> = []
    return texts.filter { seen.insert(ExactString($0)).inserted }
  }

  /// The different names.
  ///
  /// Names that look equal have different texts, for example the é of two scalars is `e\u{301}`.
  static func distinct(_ names: [String]) -> [String] {
    let names = different(names)
    // Swift's equality of texts is that of what they look like.
    let alike = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
    return names.map { name in
      guard alike[name] != nil, ExactString(name.precomposedStringWithCanonicalMapping) != ExactString(name) else {
        return name
      }
      return name.unicodeScalars.reduce(into: "") { text, scalar in
        text += scalar.isASCII ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }

  /// True if all bytes are visible ASCII or spaces, so that nothing about them needs a closer look.
  static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
}
