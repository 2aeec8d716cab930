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
}
