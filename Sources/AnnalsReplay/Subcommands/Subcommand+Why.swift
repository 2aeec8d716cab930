import Annals

extension Subcommand {
  static let why = Subcommand(
    name: "why", operands: ["LOG", "ROW"],
    summary: "Say why a row is where it is in the list, or why it is not there.",
    details: [
      "It names the neighbours, the event that brought the row to its place, or what",
      "hides it: a condition, a limit, a deletion. Exit status: 1 if it is not there.",
    ],
    options: [Option("--at", "PLACE", "Where; by default the last position.")] + list,
    examples: ["annals why shop.annals b1", "annals why shop.annals b4 --where 'price >= 5'"],
    run: { try $0.runWhy() })
}

extension Session {
  fileprivate func runWhy() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let end = try place("--at", in: log) ?? log.end
    let id = arguments.operands[1]
    guard let reader = try openList(log, through: end) else { return .negative }
    let steps = try blame(id, reader, log, through: end)
    let answer: WhyAnswer
    if let placing = try placing(of: id, setAt: Set(steps.map(\.step.position)), reader, log, at: end) {
      answer = .isThere(placing)
    } else if let last = steps.last {
      answer = try last.step.new == nil ? .deleted(last) : hidden(id, steps, log, at: end)
    } else {
      let later = end < log.end ? try inserted(later: id, reader, log) : nil
      answer = .never(later)
    }
    try tellOfSupposition(reader, in: log, through: end)
    if isJSON {
      try printJSON(answer.json(id, at: end))
    } else {
      for line in answer.lines(id, at: end, times, reader.name) { try print(Text.safe(line)) }
    }
    if case .isThere = answer { return .done }
    return .negative
  }

  /// The first step of a row that a position does not know yet.
  private func inserted(later id: String, _ reader: any ListReader, _ log: LogExtent) throws -> BlamedStep? {
    // Before its first event a log of records has no collection; later ones may be several, so that none is asked.
    let later = (try? openList(log, through: log.end)) ?? reader
    return try blame(id, later, log, through: log.end).first
  }

  /// What hides a row that is there.
  private func hidden(
    _ id: String, _ steps: [BlamedStep], _ log: LogExtent, at end: Position
  ) throws -> WhyAnswer {
    guard let row = steps.last?.step.new else { return .never(nil) }
    for text in arguments.all("--where") {
      let condition = try condition(text, of: "--where")
      guard !condition.includes(row) else { continue }
      // Since the step after which the row never met the condition again.
      let since = steps.lastIndex { $0.step.new.map(condition.includes) ?? false }
      let step = steps[min(steps.count - 1, since.map { $0 + 1 } ?? 0)]
      return .hidden("--where \(text)", step, condition.fields.map { ($0.text, $0.value(in: row)) })
    }
    if arguments.has("--limit") || arguments.has("--offset") {
      let options = try listOptions()
      var all = options
      (all.limit, all.offset) = (nil, nil)
      if let source = try source(options, in: log) {
        let reader = try open(source, all, log, through: end)
        try reader.move(to: end)
        if let path = reader.list.path(of: id) { return .cut(path) }
      }
    }
    return .hidden("the list's own filter", steps[steps.count - 1], [])
  }
}

/// Why a row is where it is.
private enum WhyAnswer {
  case isThere(RowPlacing)
  case deleted(BlamedStep)
  case hidden(String, BlamedStep, [(field: String, value: JSONValue)])
  case cut(RowPath)
  case never(BlamedStep?)

  func lines(_ id: String, at end: Position, _ times: TimeStyle, _ list: String) -> [String] {
    func event(_ event: EventCause) -> String {
      var parts = ["\(event.position)"] + times.column(event.time) + [event.type]
      if let actor = event.metadata.author { parts.append(actor) }
      if let command = event.command { parts.append("by command \(command)") }
      return parts.joined(separator: "  ")
    }
    let id = Text.name(id)
    switch self {
    case .isThere(let placing):
      var lines = ["\(id) is at \(placing.path) in the list at \(end)."]
      if let found = placing.event {
        lines.append("  there since  \(event(found))")
        lines.append("  because      \(placing.reason)")
      }
      if let before = placing.neighbors.before { lines.append("  after        \(TextLines.row(before))") }
      if let after = placing.neighbors.after { lines.append("  before       \(TextLines.row(after))") }
      return lines
    case .deleted(let step):
      return ["\(id) is not in the list at \(end).", "  deleted by  \(event(step.event))"]
    case .hidden(let what, let step, let values):
      let found = values.map { "\($0.field) is \(TextLines.value($0.value))" }.joined(separator: ", ")
      return [
        "\(id) is not in the list at \(end), though it exists.",
        "  hidden by    \(what)\(found.isEmpty ? "" : ": \(found)")", "  since        \(event(step.event))",
      ]
    case .cut(let path):
      return ["\(id) is not in the list at \(end): it is at \(path), outside of what --limit and --offset let through."]
    case .never(let later):
      return ["\(id) is not in the list at \(end): no event up to there made such a row in \(list)."]
        + (later.map { ["  it is inserted later, by  \(event($0.event))"] } ?? [])
    }
  }

  func json(_ id: String, at end: Position) -> String {
    func answer(_ why: String, _ rest: String) -> String {
      "{\"id\":\(JSONValue.quoted(id)),\"position\":\(end),\"why\":\"\(why)\"\(rest)}"
    }
    func event(_ event: EventCause?) -> String { event.map { ",\"event\":\(JSONLines.cause($0))" } ?? "" }
    switch self {
    case .isThere(let placing):
      return answer(
        "shown",
        ",\"path\":[\(placing.path.section),\(placing.path.row)],\"since\":\(placing.since),"
          + "\"reason\":\(JSONValue.quoted(placing.reason))\(event(placing.event))"
          + (placing.neighbors.before.map { ",\"after\":\(JSONLines.row($0))" } ?? "")
          + (placing.neighbors.after.map { ",\"before\":\(JSONLines.row($0))" } ?? ""))
    case .deleted(let step): return answer("deleted", event(step.event))
    case .hidden(let what, let step, let values):
      let members = values.map { "\(JSONValue.quoted($0.field)):\($0.value.text)" }.joined(separator: ",")
      return answer(
        "hidden", ",\"by\":\(JSONValue.quoted(what)),\"values\":{\(members)}\(event(step.event))")
    case .cut(let path): return answer("cut", ",\"path\":[\(path.section),\(path.row)]")
    case .never(let later): return answer("never", event(later?.event))
    }
  }
}
