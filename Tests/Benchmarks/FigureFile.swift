import CAnnalsSQLite
import Foundation

/// A file with the results of figures, one line of JSON per figure and number of rows.
///
/// The lines are sorted, so that results from several branches can be merged.
package struct FigureFile {
  /// The result of a figure, without a trace of the machine.
  package struct Line: Codable, Hashable, Sendable {
    package let name: String
    package let rows: Int
    package let value: Double
    package let baseline: Double?
    package let unit: String
    package let ratio: Double?
    /// The raw value of the figure's ``Figure/Resource``.
    package let resource: String
    /// The day of the measurement, for example 2026-11-29.
    package let date: String
    package let toolchain: String

    /// Creates the line of a measurement that was made on a day.
    package init(_ measurement: Measurement, on date: String) {
      let figure = measurement.figure
      (name, rows, unit, resource) = (figure.name, figure.rows, figure.resource.unit, figure.resource.rawValue)
      (value, baseline, ratio) = (measurement.value, measurement.baseline, measurement.ratio)
      self.date = date
      toolchain = "\(Self.compiler), SQLite \(String(cString: sqlite3_libversion())), \(Self.system)"
    }

    #if compiler(>=6.4)
      private static let compiler = "Swift 6.4 or later"
    #elseif compiler(>=6.3)
      private static let compiler = "Swift 6.3"
    #else
      private static let compiler = "Swift 6.2"
    #endif

    private static var system: String {
      #if os(Linux)
        let system = "Linux"
      #else
        let system = "Apple"
      #endif
      #if arch(arm64)
        return "\(system) arm64"
      #else
        return "\(system) x86_64"
      #endif
    }

    package var json: String {
      let fields = [
        "\"name\": \"\(name)\"", "\"rows\": \(rows)", "\"value\": \(Self.number(value))",
        "\"baseline\": \(baseline.map(Self.number) ?? "null")", "\"unit\": \"\(unit)\"",
        "\"ratio\": \(ratio.map(Self.number) ?? "null")", "\"resource\": \"\(resource)\"", "\"date\": \"\(date)\"",
        "\"toolchain\": \"\(toolchain)\"",
      ]
      return "{" + fields.joined(separator: ", ") + "}"
    }

    /// A number with its significant digits.
    private static func number(_ value: Double) -> String {
      value >= 1_000 ? String(format: "%.0f", value) : String(format: "%.4g", value)
    }
  }

  private let path: String
  package private(set) var lines: [Line]

  /// Reads a file, which is created by the first ``put(_:)`` if it doesn't exist.
  package init(_ path: String) throws {
    self.path = path
    let text = FileManager.default.fileExists(atPath: path) ? try String(contentsOfFile: path, encoding: .utf8) : ""
    lines = try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      if line.isEmpty { return nil }
      do {
        return try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      } catch {
        throw BenchmarksTool.Usage(
          message: "\(path): line \(index + 1): expected the figure of an earlier run, found \(line); remove the line")
      }
    }
  }

  /// Adds a line, or replaces the line of the same figure and number of rows, and writes the file.
  package mutating func put(_ line: Line) throws {
    lines.removeAll { ($0.name, $0.rows) == (line.name, line.rows) }
    lines.append(line)
    lines.sort { ($0.name, $0.rows) < ($1.name, $1.rows) }
    try Data(lines.map { $0.json + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// The line of a figure.
  package subscript(name: String, rows: Int) -> Line? { lines.first { ($0.name, $0.rows) == (name, rows) } }
}
