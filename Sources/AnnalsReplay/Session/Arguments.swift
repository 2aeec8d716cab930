import AnnalsLog

/// The words after a subcommand's name, parsed by the subcommand's table of options.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Parses words.
  ///
  /// Throws what is wrong with them, and suggests the nearest name if there is one.
  init(_ words: [String], of subcommand: Subcommand, tool: String) throws {
    var rest = words[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      // A negative number is a value, as in rename-section LOG -3 TITLE.
      let isNumber = word.dropFirst().first?.isNumber ?? false
      if onlyOperands || word == "-" || isNumber || !word.hasPrefix("-") {
        operands.append(word)
        continue
      }
      if word == "--" {
        onlyOperands = true
        continue
      }
      let (name, attached) = Self.split(word)
      guard let option = subcommand.allOptions.first(where: { $0.names.contains(name) }) else {
        let name = word.hasPrefix("--") ? name : word
        // A letter is as near to any other.
        let near = word.count > 2 ? Nearest.name(to: name, among: subcommand.allOptions.flatMap(\.names)) : nil
        let nearest = OtherNames.form(ofOption: name, of: subcommand) ?? near
        throw ReplayError.usage(
          "unknown option \(name) of \(tool) \(subcommand.name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
            + "\n\(tool) \(subcommand.name) --help lists its options")
      }
      try take(option, attached, as: name, &rest)
    }
    try checkFormat()
    if has("--help") { return }
    try checkOperands(of: subcommand, tool: tool)
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  func value(_ name: String) -> String? { values[name]?.last }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// A whole number of 0 or more.
  func number(_ name: String) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Self.wholeNumber(text) else {
      let range = Self.isDigits(text) ? "from 0 to \(Int.max)" : "of 0 or more"
      throw ReplayError.usage("\(name): expected a whole number \(range), found \"\(text)\"")
    }
    return number
  }

  /// The number that digits alone say; nil of any other text, and beyond what fits.
  static func wholeNumber(_ text: String) -> Int? { isDigits(text) ? Int(text) : nil }

  /// The words before a subcommand's name that are options of every subcommand, with their values.
  static func leadingOptions(_ words: [String]) -> [String] {
    var count = 0
    while count < words.count {
      let (name, attached) = split(words[count])
      guard let option = Subcommand.common.first(where: { $0.names.contains(name) }), option.name != "--help" else {
        break
      }
      count += option.value != nil && attached == nil ? 2 : 1
    }
    return Array(words.prefix(count))
  }

  /// An option's name and the value that is attached to it: `--limit=5`, `-n5`.
  private static func split(_ word: String) -> (name: String, attached: String?) {
    if !word.hasPrefix("--"), word.count > 2 { return (String(word.prefix(2)), String(word.dropFirst(2))) }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }

  private mutating func take(
    _ option: Subcommand.Option, _ attached: String?, as name: String, _ rest: inout ArraySlice<String>
  ) throws {
    if values[option.name] != nil, !option.repeats { throw ReplayError.usage("\(option.name) is given twice") }
    guard let placeholder = option.value else {
      values[option.name] = []
      guard let attached else { return }
      // -qn2 is -q -n2.
      guard !name.hasPrefix("--"), attached.first?.isLetter == true else {
        throw ReplayError.usage("\(name) takes no value, found \"\(attached)\"")
      }
      rest.insert("-" + attached, at: rest.startIndex)
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw ReplayError.usage("\(name) needs a value: \(name) \(placeholder)")
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      let nearest = Nearest.name(to: value, among: option.choices).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage("\(name): expected \(Text.either(option.choices)), found \"\(value)\"\(nearest)")
    }
    values[option.name, default: []].append(value)
  }

  /// `--json` and `--format json` are one.
  private mutating func checkFormat() throws {
    guard let format = value("--format") else { return }
    if format == "json" {
      values["--json"] = []
    } else if has("--json") {
      throw ReplayError.usage("--json and --format \(format) cannot both be")
    }
  }

  private func checkOperands(of subcommand: Subcommand, tool: String) throws {
    let expected = subcommand.operands
    let usage = "usage: \(subcommand.usage(tool: tool))"
    if operands.count < subcommand.requiredOperands {
      throw ReplayError.usage("\(tool) \(subcommand.name) needs \(expected[operands.count])\n\(usage)")
    }
    if operands.count > expected.count, subcommand.rest == nil {
      throw ReplayError.usage(
        "\(tool) \(subcommand.name) does not take \"\(operands[expected.count])\"\n\(usage)")
    }
  }

  private static func isDigits(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
