import Foundation
import benchmarks

/// A number on a page, with a comment that names the benchmark: `0.12 ms <!-- benchmark: command-by-hand -->`.
///
/// After the name, the comment can have a number of rows, and the word `baseline` or `ratio`. A number of events per
/// second is computed from the time of an event.
struct FigureMark {
  enum Problem: Error, Equatable {
    /// The file has no result for the benchmark, or the benchmark has no baseline.
    case notMeasured
    /// The file has several results, with different numbers of rows.
    case severalLengths([Int])
    /// The unit isn't a unit of the benchmark.
    case otherUnit(String)
    /// The number isn't the result, rounded to its digits.
    case differs(expected: String)
  }

  let number: Substring
  let unit: String
  let name: String
  let rows: Int?
  /// The word after the name.
  let part: String
  let range: Range<String.Index>

  /// The numbers of a text that have such a comment.
  static func all(in text: String) -> [FigureMark] {
    let pattern =
      #/
      ([0-9][0-9,]*(?:\.[0-9]+)?)
      (?:\s+(ns|µs|ms|s|bytes|KB|MB|GB|(?:[a-z]+\s)?per\ssecond|times))?
      \s*<!--\ benchmark:\ ([a-z0-9-]+)(?:\ ([0-9]+)\ rows)?(?:\ (baseline|ratio))?\ -->
      /#
    return text.matches(of: pattern).map { match in
      FigureMark(
        number: match.1, unit: match.2.map(String.init) ?? "", name: String(match.3), rows: match.4.flatMap { Int($0) },
        part: match.5.map(String.init) ?? "", range: match.1.startIndex..<match.1.endIndex)
    }
  }

  /// Compares the number with a file of results.
  func check(_ file: FigureFile) throws(Problem) {
    let expected = Self.rounded(try value(file), digits: digits)
    if expected != number { throw .differs(expected: expected) }
  }

  /// The result in the unit of the page.
  private func value(_ file: FigureFile) throws(Problem) -> Double {
    let lines = file.lines.filter { $0.name == name && (rows == nil || $0.rows == rows) }
    // The length that is measured without options is meant if the mark has none.
    let usual = Figure.all.first { $0.name == name }.flatMap { file[name, $0.rows] }
    guard let line = lines.count > 1 ? usual : lines.first else {
      throw lines.isEmpty ? .notMeasured : .severalLengths(lines.map(\.rows))
    }
    guard let value = part == "baseline" ? line.baseline : part == "ratio" ? line.ratio : line.value else {
      throw .notMeasured
    }
    if part == "ratio" {
      guard unit.isEmpty || unit == "times" else { throw .otherUnit(unit) }
      return value
    }
    if unit.hasSuffix("per second"), line.unit == "ns" { return 1e9 / value }
    guard let size = FigureTable.units(of: line.unit).first(where: { $0.name == unit })?.size else {
      throw .otherUnit(unit)
    }
    return value / size
  }

  /// The number of digits to which a page rounds.
  ///
  /// Zeros at the end of a whole number don't count.
  private var digits: Int {
    var digits = number.filter { $0.isNumber }.drop { $0 == "0" }
    if !number.contains(".") { while digits.count > 1, digits.last == "0" { digits.removeLast() } }
    return max(1, digits.count)
  }

  static func rounded(_ value: Double, digits: Int) -> String {
    if value <= 0 { return "0" }
    // A number such as 99.7 has another digit in front after it was rounded.
    let exponent = Int(log10(Double(String(format: "%.\(digits - 1)e", value)) ?? value).rounded(.down))
    let places = digits - 1 - exponent
    if places >= 0 { return String(format: "%.\(places)f", value) }
    let unit = pow(10, Double(-places))
    return FigureTable.whole(Int(((value / unit).rounded() * unit).rounded()))
  }
}
