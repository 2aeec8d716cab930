import Annals
import AnnalsLog

/// Prints a table, row by row, in any format.
final class TableWriter {
  private let columns: [TableColumn]
  private let format: OutputFormat
  /// The places of the columns that are printed, in their order.
  private let chosen: [Int]
  private let print: (String) throws -> Void
  /// True if the data must not reach the terminal as they are.
  private let isGuarded: Bool
  private var grid: TableGrid
  private var hasBegun = false

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - columns: All columns that a row has cells for.
  ///   - format: How it is printed; `text` is `table`.
  ///   - fields: The names of the columns that are printed; all, if empty.
  ///   - console: Where it is printed.
  ///   - print: Prints a line.
  /// - Throws: A mistake of usage if a field is no column.
  init(
    _ columns: [TableColumn], as format: OutputFormat, fields: [String] = [], on console: Console,
    print: @escaping (String) throws -> Void
  ) throws {
    self.columns = columns
    self.format = format
    self.print = print
    chosen = try fields.isEmpty ? Array(columns.indices) : fields.map { try Self.place(of: $0, in: columns) }
    isGuarded = console.outputIsTerminal
    grid = TableGrid(chosen.map { columns[$0] }, columns: console.columns, hasColour: console.hasColour)
  }

  private static func place(of field: String, in columns: [TableColumn]) throws -> Int {
    if let place = columns.firstIndex(where: { ExactString($0.name) == ExactString(field) }) { return place }
    let names = columns.map(\.name)
    let nearest = Nearest.name(to: field, among: names).map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "--fields: there is no column \"\(field)\"\(nearest)\nthe columns are \(names.joined(separator: ", "))")
  }

  /// Prints a row, or keeps it until the widths of the columns are known.
  func row(_ cells: [TableCell]) throws {
    let cells = chosen.map { cells[$0] }
    switch format {
    case .text, .table: try grid.add(cells.map(\.text), print)
    case .json:
      // One array, in lines.
      try print((hasBegun ? "," : "[") + guarded(object(cells)))
      hasBegun = true
    case .jsonl: try print(guarded(object(cells)))
    default:
      try begin()
      try print(line(cells.map(\.data)))
    }
  }

  /// Prints the rows that wait for the widths of later rows.
  func flush() throws { try grid.flush(print) }

  /// Prints the rest.
  func end() throws {
    switch format {
    case .text, .table: try flush()
    case .json: try print(hasBegun ? "]" : "[]")
    case .jsonl: break
    // A table without rows has a head.
    default: try begin()
    }
  }

  private func begin() throws {
    if hasBegun { return }
    hasBegun = true
    let chosen = chosen.map { columns[$0] }
    try print(line(chosen.map(\.name)))
    if format == .markdown {
      try print("|" + chosen.map { $0.alignment == .left ? " --- |" : " ---: |" }.joined())
    }
  }

  private func object(_ cells: [TableCell]) -> String {
    PayloadWriter.json {
      $0.writeObject {
        for (index, cell) in zip(chosen, cells) { $0.write(columns[index].name) { cell.write(to: &$0) } }
      }
    }
  }

  private func line(_ cells: [String]) -> String {
    switch format {
    case .csv:
      // The end of the line is the standard's two bytes; a terminal needs one.
      isGuarded
        ? cells.map { DelimitedText.csv(Text.safe($0)) }.joined(separator: ",")
        : cells.map(DelimitedText.csv).joined(separator: ",") + "\r"
    case .tsv: cells.map(DelimitedText.tsv).map { isGuarded ? Text.safe($0) : $0 }.joined(separator: "\t")
    // A page is shown to people, wherever it goes first.
    default: "|" + cells.map { " \(DelimitedText.markdown(Text.safe($0))) |" }.joined()
    }
  }

  private func guarded(_ json: String) -> String { isGuarded ? Text.safeJSON(json) : json }
}
