import Annals
import AnnalsLog

/// The table of the values that a run has printed until now.
final class OpenTable {
  fileprivate var writer: TableWriter?

  /// Prints the rest of the table.
  func end() throws { try writer?.end() }

  /// Prints the rows until now, because the next row may come much later.
  func flush() throws { try writer?.flush() }
}

extension Session {
  /// How the answer is printed.
  ///
  /// `--fields` alone makes a table of it.
  var format: OutputFormat {
    if arguments.has("--json") { return .json }
    return arguments.value("--format").flatMap(OutputFormat.init) ?? (chosenFields.isEmpty ? .text : .table)
  }

  /// The names that `--fields` has; empty if it is not given.
  var chosenFields: [String] {
    arguments.all("--fields").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Prints a value as a line of JSON, or as rows of a table.
  func print<Value>(_ value: Value, as form: JSONForm<Value>) throws {
    let json = PayloadWriter.json { form.write(value, to: &$0) }
    if format == .json, chosenFields.isEmpty { return try printJSON(json) }
    let columns = form.columns
    let writer =
      try openTable.writer ?? TableWriter(columns, as: format, fields: chosenFields, on: console, print: printData)
    openTable.writer = writer
    for row in try form.rows(JSONValue(parsing: json)) {
      try writer.row(columns.map { .json(row[$0.name] ?? .null) })
    }
  }

  /// Prints a table in the format that the options ask for; `text` is `table`.
  ///
  ///     try session.table([TableColumn("position", .right), TableColumn("type")]) { table in
  ///       for event in events { try table.row([.number(event.position.rawValue), .text(event.type)]) }
  ///     }
  ///
  /// - Parameters:
  ///   - columns: The columns, in the order of a row's cells.
  ///   - body: Adds the rows.
  /// - Throws: A mistake of usage if `--fields` names no column, and what `body` throws.
  func table(_ columns: [TableColumn], _ body: (TableWriter) throws -> Void) throws {
    let table = try TableWriter(columns, as: self.format, fields: chosenFields, on: console, print: printData)
    openTable.writer = table
    try body(table)
    try table.end()
    openTable.writer = nil
  }
}
