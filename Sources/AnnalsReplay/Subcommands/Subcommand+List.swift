import Annals
import AnnalsLog

extension Subcommand {
  static let show = Subcommand(
    name: "show", operands: ["LOG"],
    summary: "Print the sectioned list at a position.",
    options: [
      Option("--at", "PLACE", "Where; by default the last position. 0 is before the first event."),
      Option("--fail-empty", "Exit with status 1 if no row is shown."),
    ] + formats + list,
    examples: [
      "annals show shop.annals --section-by shelf --sort price,-title",
      "annals show shop.annals --at 'yesterday 15:00' --where 'price >= 50' --json",
    ],
    run: { try $0.runShow() })

  static let diff = Subcommand(
    name: "diff", operands: ["LOG", "[LOG2]"],
    summary: "Print what changed between two positions, two logs, or two versions of a tool.",
    details: [
      "Between two positions: one batch, and which events did it. With --from after",
      "--to the batch leads backwards. With LOG2: what is different in its list, as",
      "one batch that leads from LOG to LOG2, and where the logs' events part. With",
      "--code: the first position at which another version of this tool shows another",
      "list. Exit status: 1 if the lists differ, 0 if they do not.",
    ],
    options: [
      Option("--from", "PLACE", "The position to begin at."), Option("--to", "PLACE", "The position to end at."),
      Option("--at", "PLACE", "The position in LOG, beside LOG2; by default the last one."),
      Option("--at2", "PLACE", "The position in LOG2; by default its last one."),
      Option("--code", "OLDTOOL", "An executable of the tool with other code; its replay is compared with this one's."),
      Option("--every", "N", "With --code, compare after each N events; by default after each transaction."), stat,
    ] + list,
    examples: [
      "annals diff shop.annals --from 10 --to 20", "annals diff shop.annals --from '1 hour ago' --to last",
      "annals diff ours.annals theirs.annals --at 120 --at2 120", "annals diff shop.annals --code ./annals-1.0",
    ],
    run: { try $0.runDiff() })
}

extension Session {
  fileprivate func runShow() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let at = try place("--at", in: log) ?? log.end
    guard let (source, reader) = try openSource(log, through: at, silentThrough: at, isOnlyShown: true) else {
      return .done
    }
    try saying(through: at.rawValue) { try reader.move(to: at) }
    let list = reader.list
    switch format {
    case .json where chosenFields.isEmpty:
      try printJSON(JSONLines.adding(reader.supposition?.members(through: at), to: JSONLines.list(list)))
    case .text:
      let heading = TextLines.heading(list, isSectioned: reader.isSectioned, under: reader.supposition)
      try TextLines(console, times).list(list, isSectioned: reader.isSectioned, heading: heading) { try print($0) }
    default: try printTable(of: list, isSectioned: reader.isSectioned)
    }
    tellOfFields(reader)
    try tellOfHalf(at, in: log)
    try tellOfSupposition(reader, in: log, through: at)
    try tellOfStrangers(source, in: log, through: at)
    return list.rowCount == 0 && arguments.has("--fail-empty") ? .negative : .done
  }

  /// Prints a list as a table: a row of the table for each row, a column for each field that a row has.
  private func printTable(of list: any ShownList, isSectioned: Bool) throws {
    var names: Set<ExactString> = []
    for index in 0..<list.sectionCount {
      for record in list.records(ofSection: index) { names.formUnion(record.members.map { ExactString($0.name) }) }
    }
    // The row's own id comes first, and hides a field of that name.
    let fields = names.sorted().filter { $0 != ExactString("id") && (!isSectioned || $0 != ExactString("section")) }
    let head = [TableColumn("id")] + (isSectioned ? [TableColumn("section")] : [])
    try table(head + fields.map { TableColumn($0.text) }) { table in
      for index in 0..<list.sectionCount {
        let title = list.section(index).title
        for record in list.records(ofSection: index) {
          try table.row(
            [.json(.string(record.id))] + (isSectioned ? [.json(.string(title))] : [])
              + fields.map { .json(record[$0]) })
        }
      }
    }
  }

  fileprivate func runDiff() throws -> ReplayError.Status {
    try checkDiff()
    if arguments.operands.count == 2 { return try runDiffOfLogs() }
    if arguments.has("--code") { return try runDiffOfCode() }
    for name in ["--from", "--to"] where !arguments.has(name) {
      throw ReplayError.usage("\(tool) diff needs \(name) PLACE")
    }
    let log = try LogExtent(openStore())
    let from = try place("--from", in: log) ?? 0
    let to = try place("--to", in: log) ?? 0
    guard let (source, reader) = try openSource(log, through: max(from, to), silentThrough: max(from, to)) else {
      return .done
    }
    let found = try saying(through: max(from, to).rawValue) {
      try reader.move(to: from)
      return try reader.go(to: to)
    }
    let batch = found.isEmpty ? found : try CommandNames(log.store).naming(reader.attribute(found))
    tellOfFields(reader)
    try tellOfSupposition(reader, in: log, through: max(from, to))
    try tellOfStrangers(source, in: log, through: max(from, to))
    if batch.isEmpty { return .done }
    try printBatch(batch, from: from, inserting: nil, reader.supposition?.members(through: max(from, to)))
    return .negative
  }
}
