extension Session {
  /// How the answer is printed.
  ///
  /// `--fields` alone makes a table of it.
  var format: OutputFormat {
    if isJSON { return .json }
    return arguments.value("--format").flatMap(OutputFormat.init) ?? (chosenFields.isEmpty ? .text : .table)
  }

  /// The names that `--fields` has; empty if it is not given.
  var chosenFields: [String] {
    arguments.all("--fields").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
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
  ///   - format: The format, if it is not the options'.
  ///   - body: Adds the rows.
  /// - Throws: A mistake of usage if `--fields` names no column, and what `body` throws.
  func table(
    _ columns: [TableColumn], as format: OutputFormat? = nil, _ body: (TableWriter) throws -> Void
  ) throws {
    let table = try TableWriter(columns, as: format ?? self.format, fields: chosenFields, on: console, print: printData)
    try body(table)
    try table.end()
  }
}
