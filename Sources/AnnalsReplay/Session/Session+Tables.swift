import Annals

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
    let table = try TableWriter(columns, as: format ?? self.format, fields: chosenFields, on: console) { try print($0) }
    try body(table)
    try table.end()
  }

  /// Says which fields no row has, with the nearest that one has.
  ///
  /// It says nothing if there is no row at all.
  func checkFields(used: [String], known: Set<String>) {
    if known.isEmpty { return }
    let names = known.sorted { ExactString($0) < ExactString($1) }
    var said: Set<ExactString> = []
    for field in used where !names.contains(where: { ExactString($0) == ExactString(field) }) {
      guard said.insert(ExactString(field)).inserted else { continue }
      let nearest = Nearest.name(to: field, among: names).map { "; did you mean \(Text.bareOrQuoted($0))?" } ?? ""
      say(Text.safe("no row has a field \(Text.bareOrQuoted(field))\(nearest)"))
    }
  }
}
