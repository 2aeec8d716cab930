/// What `--format` says.
enum OutputFormat: String, CaseIterable, Sendable {
  /// For people, as each subcommand does it best.
  case text
  /// Columns side by side.
  case table
  case json
  /// A JSON object a line (jsonlines.org).
  case jsonl
  case csv
  case tsv
  case markdown

  /// True of a format for programs, whose values have no colours, units or quotes for people.
  var isData: Bool { [.json, .jsonl, .csv, .tsv].contains(self) }
}
