import Annals
import AnnalsLog

extension Subcommand {
  static let show = Subcommand(
    name: "show", operands: ["LOG"], rest: "[PLACE]",
    summary: "Print the sectioned list at a place.",
    details: ["Without PLACE, it is the list at the end. 0 is the list before the first event."],
    options: list + [instead],
    examples: [
      "annals show shop.annals --section-by shelf --sort price,-title",
      "annals show shop.annals yesterday 15:00 --where 'price >= 50' --json",
    ],
    output: .init(.object, "The sectioned list at a position.", [ListOutput.schema]),
    run: { try $0.runShow() })
}

extension Session {
  fileprivate func runShow() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let at = try placeOperand(in: log)
    // An index reads rows one by one.
    let most = 2_000
    let isShort = try arguments.number("--limit").map { $0 <= most } ?? false
    guard
      let (source, reader) = try openSource(
        log, through: at, silentThrough: at, need: .rows, index: isShort ? .made : .existing)
    else {
      return .done
    }
    try saying(through: at.rawValue) {
      try reader.move(to: at)
      try reader.settle(upTo: most)
    }
    let list = reader.list
    try checkFields(reader, in: log, isEmpty: list.rowCount == 0 && arguments.has("--where"))
    switch format {
    case .json where chosenFields.isEmpty:
      try print(
        ListOutput(list: list, supposed: reader.supposition?.output(through: at)), as: ListOutput.form)
    case .text:
      let heading = TextLines.heading(list, isSectioned: reader.isSectioned, under: reader.supposition)
      try textLines.list(list, isSectioned: reader.isSectioned, heading: heading) { try print($0) }
    default: try printTable(of: list, isSectioned: reader.isSectioned, log, at: at)
    }
    try tellOfHalf(at, in: log)
    try tellOfSupposition(reader, in: log, through: at)
    try tellOfStrangers(source, in: log, through: at)
    return .done
  }

  /// Prints a list as a table: a row of the table for each row, a column for each field that a row has.
  ///
  /// The rows that a condition leaves out have columns, too. So a program finds the same columns for every condition.
  private func printTable(of list: any ShownList, isSectioned: Bool, _ log: LogExtent, at end: Position) throws {
    var names: Set<ExactString> = []
    func add(_ record: Record) { names.formUnion(record.members.map { ExactString($0.name) }) }
    if list.rowCount == 0 || arguments.has("--where") {
      _ = try records(log, at: end) { record -> Never? in
        add(record)
        return nil
      }
    } else {
      for index in 0..<list.sectionCount { list.records(ofSection: index).forEach(add) }
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
}
