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

  /// True if all bytes are visible ASCII or spaces, so that nothing about them needs a closer look.
  static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
}
