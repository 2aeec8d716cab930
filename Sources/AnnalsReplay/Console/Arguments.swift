/// What was typed after a subcommand, read by its table of options.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Reads words; throws what is wrong with them, with the nearest name where there is one.
  init(_ words: [String], of subcommand: Subcommand) throws {
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
          "unknown option \(name) of annals \(subcommand.name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
            + "\nannals \(subcommand.name) --help lists its options")
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
      throw ReplayError.usage("annals \(subcommand.name) needs \(expected[operands.count])\nusage: \(subcommand.usage)")
    }
    if operands.count > expected.count, subcommand.rest == nil {
      throw ReplayError.usage(
        "annals \(subcommand.name) does not take \"\(operands[expected.count])\"\nusage: \(subcommand.usage)")
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  func value(_ name: String) -> String? { values[name]?.last }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// A whole number of 0 or more.
  func number(_ name: String) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 0, text.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw ReplayError.usage("\(name): expected a whole number of 0 or more, found \"\(text)\"")
    }
    return number
  }
}

/// The name that somebody may have meant.
enum Nearest {
  /// The nearest of several names, if one is near: by letters added, left out, exchanged or swapped.
  static func name(to word: String, among names: [String]) -> String? {
    let best = names.map { (name: $0, distance: distance(Array(word), Array($0))) }.min { $0.distance < $1.distance }
    guard let best, best.distance <= max(1, min(3, best.name.count / 3)) else { return nil }
    return best.name
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
