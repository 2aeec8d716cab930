import Annals
import AnnalsLog

extension Subcommand {
  static let find = Subcommand(
    name: "find", operands: ["LOG", "CONDITION"], rest: "[A..B]",
    summary: "Find where a condition on the list first holds, or all places where it begins or ends to hold.",
    details: [
      "CONDITION is \(FindCondition.forms). It is evaluated at the end of",
      "every transaction. Exit status: 1 if it never holds.",
    ],
    options: [
      Option("--each", "Find all positions at which it begins or ends to hold. The last one ends the output.")
    ] + list,
    examples: [
      "annals find shop.annals 'count(price > 50) > 3'", "annals find shop.annals 'row(b3).price > 50' --json",
      "annals find shop.annals 'exists(b3)' --each",
    ],
    output: .init(
      .lines, "A position at which the condition begins or ends to hold, with what happened there.", [findForm.schema]),
    run: { try $0.runFind() })
}

extension Session {
  fileprivate func runFind() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let condition = try FindCondition(arguments.operands[1])
    console.patterns.add(condition.patterns)
    let (from, to) = try states(of: onlyRange(after: 2), in: log)
    if from > to { throw ReplayError.usage("A..B: \(from) is after \(to)") }
    // An index has the turns of whole lists, from the beginning on.
    let hasTurns =
      from == 0 && log.compacted.horizon == 0 && condition.hasTurns
      && !arguments.has("--limit")
    guard let reader = try openList(log, through: to, index: hasTurns ? .made : .none) else { return .negative }
    var search = FindSearch(self, log, reader, condition)
    try search.run(from: from, to: to)
    try console.patterns.check()
    try checkFields(reader, in: log)
    try tellOfSupposition(reader, in: log, through: to)
    if search.count == 0 {
      // A later event can bring a row.
      if to == log.end { try search.checkNames() }
      say("it holds at no position from \(from) to \(to)")
    }
    return search.count > 0 ? .done : .negative
  }
}

/// A position at which a condition begins or ends to hold, with the number of rows there.
private let findForm = JSONForm<(position: Position, holds: Bool, count: Int, batch: BatchOutput?)>([
  "position": .of { $0.position }, "holds": .of { $0.holds }, "count": .of { $0.count }, "batch": .some { $0.batch },
])

/// Looks at a list after each transaction.
private struct FindSearch {
  private let session: Session
  private let log: LogExtent
  private let reader: any ListReader
  private let condition: FindCondition
  private let commands: CommandNames
  /// The fields of the condition that no row had.
  private let fields: FieldUse
  /// The rows of the condition that were not in the list yet.
  private var rows: [[String]]
  /// The sections of the condition that were not in the list yet.
  private var sections: [String]
  /// The number of printed positions.
  private(set) var count = 0

  init(_ session: Session, _ log: LogExtent, _ reader: any ListReader, _ condition: FindCondition) {
    self.session = session
    self.log = log
    self.reader = reader
    self.condition = condition
    commands = CommandNames(log.store)
    fields = FieldUse(condition.rows)
    (rows, sections) = (condition.namedRows, condition.sections)
  }

  /// Notes the names of the condition that a batch brings into the list.
  private mutating func note(_ batch: ListBatch) {
    for step in batch.rows {
      fields.note(step.change.row)
      if !rows.isEmpty {
        rows.removeAll { $0.contains { ExactString($0) == ExactString(step.change.row.id) } }
      }
    }
    if !sections.isEmpty, !batch.sections.isEmpty {
      let list = reader.list
      sections.removeAll { FindState.index(ofSection: $0, in: list) != nil }
    }
  }

  /// Throws if the condition has a name that never was in the list.
  func checkNames() throws {
    let ids = (0..<reader.list.sectionCount).flatMap { reader.list.records(ofSection: $0).map(\.id) }
    if let name = rows.first?.first {
      let nearest = Nearest.name(to: name, among: ids).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage("the list never had a row with the id \(Text.name(name))\(nearest)")
    }
    if let key = sections.first {
      let titles = (0..<reader.list.sectionCount).map { reader.list.section($0).title }
      let nearest = Nearest.name(to: key, among: titles).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage("the list never had the section \(Text.name(key))\(nearest)")
    }
    try fields.checkKinds()
    if var field = fields.unknown(among: ["count"]).first {
      if ["rows", "size", "length"].contains(field.name) { field.nearest = "count" }
      throw ReplayError.usage(field.sentence("no row ever had a field"))
    }
  }

  mutating func run(from: Position, to: Position) throws {
    struct Enough: Error {}
    let isEach = session.arguments.has("--each")
    let state = FindState(condition)
    let progress = Progress(session.console)
    defer { progress.end() }
    var isHolding = false
    func look(_ position: Position, _ batch: ListBatch, isBeginning: Bool = false) throws {
      note(batch)
      let holds = state.holds(after: batch, in: reader.list)
      defer { isHolding = holds }
      guard holds != isHolding, holds || isEach else { return }
      try print(batch, at: position, holds, isBeginning: isBeginning)
      if !isEach { throw Enough() }
    }
    do {
      let first = try session.saying(through: from.rawValue) { try reader.go(to: from) }
      try look(from, first, isBeginning: from > 0)
      if let index = reader.index, index.end >= to {
        let turns = condition.turns(index)
        // A turn takes the time of a list at another position.
        if turns.count <= Self.mostTurns {
          try Self.run(reader, log, to: to, at: turns) { try look($0, $1) }
          // A name that was not found may be of a row or a field that these transactions do not have.
          if count > 0 || rows.isEmpty && sections.isEmpty && fields.isComplete { return }
          try reader.move(to: from)
        }
      }
      try Batching.transaction.forEachEnd(session, log, after: from, through: to) { end in
        progress.step(end.rawValue, of: to.rawValue, "events")
        try look(end, try reader.go(to: end))
      }
    } catch is Enough {}
  }

  /// The maximum number of transactions that are looked at by an index.
  private static var mostTurns: Int { 200 }

  /// Looks only at the transactions after which the condition may begin or cease to hold.
  private static func run(
    _ reader: any ListReader, _ log: LogExtent, to: Position, at turns: [Position],
    _ look: (Position, ListBatch) throws -> Void
  ) throws {
    var last: Position = 0
    for turn in turns where turn > last && turn <= to {
      last = min(to, try log.endOfTransaction(at: turn))
      try reader.move(to: log.startOfTransaction(at: turn).before)
      try look(last, try reader.go(to: last))
    }
  }

  private mutating func print(
    _ batch: ListBatch, at position: Position, _ holds: Bool, isBeginning: Bool
  ) throws {
    count += 1
    // The list at the beginning has no cause.
    let isCaused = !batch.isEmpty && batch.from < batch.to && batch.to == position
    let named = isCaused ? try commands.naming(reader.attribute(batch)) : batch
    if session.isData {
      return try session.print(
        (position, holds, reader.list.rowCount, isCaused ? BatchOutput(named) : nil), as: findForm)
    }
    let lines = session.textLines
    try session.print(
      "\(position)  \(isBeginning ? "already " : "")\(holds ? "holds" : "ends")" + lines.cause(of: named))
    guard isCaused else { return }
    // The rows that the condition names, or a few that changed.
    let ids = condition.namedRows.joined()
    var rows = named.rows.filter { step in ids.contains { ExactString($0) == ExactString(step.change.row.id) } }
    if ids.isEmpty, named.rows.count <= 5 { rows = named.rows }
    var few = named
    (few.sections, few.rows) = ([], rows)
    for line in lines.batch(few, from: named.from).dropFirst() { try session.print(line) }
  }
}
