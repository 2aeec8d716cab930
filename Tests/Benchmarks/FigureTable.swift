import Foundation

/// The figures as a table for people.
enum FigureTable {
  static let header = columns(["figure", "rows", "value", "baseline", "ratio", "to reach", ""])

  /// The line of a measurement.
  static func line(_ measurement: Measurement) -> String {
    let figure = measurement.figure
    let isKept = measurement.ratio.map(figure.bound.isKept(by:))
    return columns([
      figure.name, whole(figure.rows), quantity(measurement.value, figure.unit),
      measurement.baseline.map { quantity($0, figure.unit) } ?? "–", measurement.ratio.map(short) ?? "–",
      text(figure.bound), isKept.map { $0 ? "reached" : "missed" } ?? "",
    ])
  }

  static func text(_ bound: Figure.Bound) -> String {
    switch bound {
    case .value(let most), .cost(let most): "≤ \(short(most))"
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

  /// A quantity in a readable unit.
  static func quantity(_ value: Double, _ unit: String) -> String {
    let steps: [(Double, String)] =
      switch unit {
      case "ns": [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
      case "bytes": [(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "bytes")]
      default: [(1, unit)]
      }
    let step = steps.first { value >= $0.0 } ?? (1, unit)
    return "\(short(value / step.0)) \(step.1)"
  }

  private static func short(_ value: Double) -> String {
    value >= 100 ? whole(Int(value.rounded())) : String(format: "%.3g", value)
  }

  private static func whole(_ number: Int) -> String {
    var text = String(number)
    for place in stride(from: text.count - 3, to: 0, by: -3) {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    }
    return text
  }
}
