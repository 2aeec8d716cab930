import Foundation

/// The figures as a table for people.
package enum FigureTable {
  static let header = columns(["figure", "rows", "value", "baseline", "ratio", "to reach", ""])

  /// The line of a measurement.
  static func line(_ measurement: Measurement) -> String {
    let figure = measurement.figure
    let isKept = measurement.ratio.map(figure.bound.isKept(by:))
    return columns([
      figure.name, whole(figure.rows), quantity(measurement.value, figure.resource.unit),
      measurement.baseline.map { quantity($0, figure.resource.unit) } ?? "–", ratio(figure, measurement.ratio),
      target(figure), isKept.map { $0 ? "reached" : "missed" } ?? "",
    ])
  }

  /// A table in Markdown with the figures and the results of a file.
  ///
  /// A figure has one row for each number of rows that it was measured with, or a row without a result.
  package static func markdown(_ figures: [Figure], _ file: FigureFile) -> String {
    let rows = figures.flatMap { figure in
      let lines = file.lines.filter { $0.name == figure.name }
      return lines.isEmpty ? [cells(figure, figure.rows, nil)] : lines.map { cells(figure, $0.rows, $0) }
    }
    let titles = [
      "benchmark", "rows", "measures", "compared with", "resource", "result", "baseline", "ratio", "target",
    ]
    return ([titles, titles.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
      .joined(separator: "\n").replacing("| --- ", with: "|---")
  }

  private static func cells(_ figure: Figure, _ rows: Int, _ line: FigureFile.Line?) -> [String] {
    let isKept = line?.ratio.map(figure.bound.isKept(by:))
    return [
      "`\(figure.name)`", whole(rows), figure.work, figure.baseline ?? "–", figure.resource.rawValue,
      line.map { quantity($0.value, $0.unit) } ?? "not measured",
      line?.baseline.map { quantity($0, figure.resource.unit) } ?? "–",
      ratio(figure, line?.ratio), target(figure) + (isKept.map { $0 ? " ✓" : " ✗" } ?? ""),
    ]
  }

  /// The ratio of a result and its baseline, which is the result if nothing is compared.
  private static func ratio(_ figure: Figure, _ ratio: Double?) -> String {
    if case .value = figure.bound { return "–" }
    return ratio.map(short) ?? "–"
  }

  /// The target of a figure.
  static func target(_ figure: Figure) -> String {
    switch figure.bound {
    case .value(let most): "≤ \(quantity(most, figure.resource.unit))"
    case .cost(let most): "≤ \(short(most))"
    case .speed(let least): "≥ \(short(least))"
    }
  }

  private static func columns(_ texts: [String]) -> String {
    let widths = [-26, 11, 12, 12, 9, 10, -7]
    let cells = zip(texts, widths).map { text, width in
      let space = String(repeating: " ", count: max(0, abs(width) - text.count))
      return width < 0 ? text + space : space + text
    }
    // No spaces after the last word.
    var line = cells.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The readable units of numbers in a unit, from large to small.
  package static func units(of unit: String) -> [(size: Double, name: String)] {
    switch unit {
    case "ns": [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
    case "bytes": [(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "bytes")]
    default: [(1, unit)]
    }
  }

  /// A quantity in a readable unit.
  static func quantity(_ value: Double, _ unit: String) -> String {
    let step = units(of: unit).first { value >= $0.size } ?? (1, unit)
    return "\(short(value / step.size)) \(step.name)"
  }

  private static func short(_ value: Double) -> String {
    value >= 100 ? whole(Int(value.rounded())) : String(format: "%.3g", value)
  }

  package static func whole(_ number: Int) -> String {
    var text = String(number)
    for place in stride(from: text.count - 3, to: 0, by: -3) {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    }
    return text
  }
}
