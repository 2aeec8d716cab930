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
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = subcommand.allOptions.first(where: { $0.name == name }) else {
        let nearest = Nearest.name(to: name, among: subcommand.allOptions.map(\.name))
        throw ReplayError.usage(
          "unknown option \(name) of \(tool) \(subcommand.name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
            + "\n\(tool) \(subcommand.name) --help lists its options")
      }
      if values[name] != nil, !option.repeats { throw ReplayError.usage("\(name) is given twice") }
      if option.value == nil {
        if parts.count > 1 { throw ReplayError.usage("\(name) takes no value, found \"\(parts[1])\"") }
        values[name] = []
      } else if parts.count > 1 {
        values[name, default: []].append(String(parts[1]))
      } else if let value = rest.popFirst() {
        values[name, default: []].append(value)
      } else {
        throw ReplayError.usage("\(name) needs a value: \(name) \(option.value ?? "")")
      }
    }
    if has("--help") { return }
    let expected = subcommand.operands
    if operands.count < subcommand.requiredOperands {
      throw ReplayError.usage(
        "\(tool) \(subcommand.name) needs \(expected[operands.count])\nusage: \(subcommand.usage(tool: tool))")
    }
    if operands.count > expected.count, subcommand.rest == nil {
      throw ReplayError.usage(
        "\(tool) \(subcommand.name) does not take \"\(operands[expected.count])\"\nusage: \(subcommand.usage(tool: tool))"
      )
    }
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

  private static func isDigits(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
