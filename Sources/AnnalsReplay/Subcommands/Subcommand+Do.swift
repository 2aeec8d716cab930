import Annals
import AnnalsLog

extension Subcommand {
  /// The subcommand that executes commands, with a help page that lists the commands.
  static func `do`(of commands: [any CommandSource]) -> Subcommand {
    var subcommand = `do`
    subcommand.choices = ["[COMMAND]": commands.map(\.name)]
    let records = commands.filter { $0 is RecordCommand }.map(\.usage)
    let others = commands.filter { !($0 is RecordCommand) }.flatMap(\.helpLines)
    if !records.isEmpty { subcommand.details += ["", "Commands of records: " + records.joined(separator: "; ")] }
    if !others.isEmpty { subcommand.details += [""] + others }
    let examples = commands.compactMap { command in
      command.examples.first.map { json in
        "annals do shop.annals \(command.name)\(command.words.count > 1 ? " main" : "") \(Completions.quoted(json))"
      }
    }
    if !examples.isEmpty { subcommand.examples = examples }
    return subcommand
  }

  private static let `do` = Subcommand(
    name: "do", operands: ["LOG", "[COMMAND]"], rest: "[WORD …]",
    summary: "Execute a command and append its events.",
    details: [
      "Without COMMAND, the commands are listed. The first events create a log that",
      "doesn't exist. VALUE and KEY are JSON if they can be parsed as JSON, and otherwise",
      "strings. The value null removes a field. In a command of an app, ID is the id of",
      "the decider's stream, and JSON is the encoded command. Exit status: 1 if the",
      "command is refused.",
    ],
    options: [
      Option("--list", "NAME", "The record's collection, by default the only one."),
      Option("--command-id", "ID", "Execute the command only once under this id."),
      Option("--author", "NAME", "The author of the events."),
      Option("--dry-run", "Print the events without appending them."),
      Option("--yes", "Insert a record even into a log of an app's own events."),
    ],
    examples: [
      "annals do shop.annals insert b1 title=Annals price=50.5 --list book",
      "annals do shop.annals update b1 price=60.5 shelf=null",
    ],
    output: .init(
      .object, "The events of a command, or the commands that exist.",
      [executedForm.schema, decidedForm.schema, commandsForm.schema]),
    run: { try $0.runDo() })
}

extension Session {
  fileprivate func runDo() throws -> ReplayError.Status {
    guard arguments.operands.count > 1 else { return try listCommands() }
    let command = try command(arguments.operands[1])
    let words = Array(arguments.operands.dropFirst(2))
    try command.check(words, tool: tool)
    let call = try command.call(words, collection: arguments.value("--list"), note: say)
    let commandID = arguments.value("--command-id")
    if let commandID, commandID.isEmpty { throw ReplayError.usage("--command-id: expected an id, found \"\"") }
    let exists = catalog.open != nil || Platform.file(arguments.operands[0]) != nil
    if !exists, !call.createsLog { throw Platform.missing(arguments.operands[0]) }
    let isDry = arguments.has("--dry-run")
    let found = exists ? try isDry ? openStore() : writableStore() : nil
    if let found, let command = command as? RecordCommand, command != .insert || !arguments.has("--yes") {
      try refuseRecords(LogExtent(found), command)
    }
    if isDry { return try decide(call, in: found) }
    guard let store = try found ?? newLog(for: call) else { return .done }
    var metadata: Metadata = [:]
    metadata.author = arguments.value("--author")
    try print(try call.execute(store, commandID, metadata), of: store)
    return .done
  }

  private func listCommands() throws -> ReplayError.Status {
    if isData {
      try print(catalog.commands, as: commandsForm)
    } else {
      for line in catalog.commands.flatMap(\.helpLines) { try print(String(line.dropFirst())) }
    }
    if catalog.commands.isEmpty { say("\(tool) has no commands, because \(Self.registration)") }
    return catalog.commands.isEmpty ? .negative : .done
  }

  private static let registration =
    "an app's own tool registers its commands, ReplayTool(ReplayCommands(Bookshop.self), …)"

  /// Returns the command with a name.
  private func command(_ name: String) throws -> any CommandSource {
    // Even a tool that doesn't list the commands of records explains why they can't be executed.
    let all = catalog.deciders + RecordCommand.allCases as [any CommandSource]
    if let found = all.first(where: { ExactString($0.name) == ExactString(name) }) { return found }
    let names = catalog.commands.map(\.name)
    let meant = Nearest.name(to: name, among: names) ?? OtherNames.meant(by: name, among: ["help"])
    let nearest = meant.map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "\(tool) has no command \(JSONValue.quoted(name))\(nearest)"
        + (names.isEmpty ? "" : "\nits commands are \(names.joined(separator: ", "))")
        + (catalog.deciders.isEmpty && meant == nil ? "\n\(Self.registration)" : ""))
  }

  /// Keeps records out of a log of an app's own events, because an event can't be removed.
  func refuseRecords(_ log: LogExtent, _ command: RecordCommand?) throws {
    let counts = try log.typeCounts(through: log.end)
    guard let first = counts.first, !counts.contains(where: { RecordEvent.types.contains($0.name) }) else { return }
    let events = Text.counted(counts.reduce(0) { $0 + $1.events }, "event")
    let advice =
      switch command {
      case .insert?: "No record was inserted, because an event can't be removed. --yes inserts it nevertheless"
      case let command?: "\(command.name) changes only records"
      case nil: "No row was imported, because an event can't be removed. Import the rows into a new log"
      }
    throw ReplayError(
      .negative,
      Text.safe(
        "\(arguments.operands[0]): the log contains \(events) of an app, such as \(first.name), but no records. "
          + advice))
  }

  /// Creates the log, or returns nil if the command produces no events.
  private func newLog(for call: CommandCall) throws -> (any EventStore)? {
    // Execute the command in memory first, so that a refused command creates no file.
    if try onEmptyLog({ try call.execute($0, nil, [:]) }).count == 0 {
      say("the command produced no events")
      return nil
    }
    let path = arguments.operands[0]
    let store = try LogFile(path).create()
    say("\(Text.safe(path)) is a new log")
    return store
  }

  /// Decides a command on an empty log, because the log doesn't exist.
  private func onEmptyLog<T>(_ body: (MemoryEventStore) throws -> T) throws -> T {
    do {
      return try body(MemoryEventStore())
    } catch let error as ReplayError where error.status == .negative {
      throw ReplayError(
        .negative,
        "\(error.message)\n\(arguments.operands[0]) doesn't exist, so the command was decided on an empty log")
    }
  }

  private func print(_ receipt: Receipt, of store: any EventStore) throws {
    let last = receipt.position
    let events =
      receipt.count == 0
      ? [] : try store.events(.all, after: Position(last.rawValue - receipt.count), through: last, limit: receipt.count)
    if isData {
      return try print((receipt, events.map { EventCause($0) }), as: executedForm)
    }
    if receipt.isRepeated { say("the command was executed before, so no event was added") }
    if receipt.count == 0 { say("the command produced no events") }
    let lines = textLines
    for event in events { try print(lines.event(event)) }
  }

  /// Prints the events that a command would append.
  private func decide(_ call: CommandCall, in store: (any EventStore)?) throws -> ReplayError.Status {
    let (stream, events) =
      if let store {
        // Read no saved states, because the command could save a state.
        try call.decide(AlteredStore(store, AlteredEvents([], payloads: [:], choices: [], known: 0)))
      } else {
        try onEmptyLog(call.decide)
      }
    if isData {
      try print((stream, events), as: decidedForm)
      return .done
    }
    if events.isEmpty { say("the command would produce no events") }
    for event in events { try print(Text.safe("\(stream)  \(event.type)  \(event.payload ?? "")")) }
    return .done
  }
}

/// An executed command.
private let executedForm = JSONForm<(receipt: Receipt, events: [EventCause])>([
  "position": .of { $0.receipt.position }, "repeated": .of { $0.receipt.isRepeated },
  "events": .rows({ $0.events }, EventCause.form),
])

/// A command that was only decided.
private let decidedForm = JSONForm<(stream: StreamName, events: [NewEvent])>([
  "dryRun": .isTrue,
  "events": .rows(
    { root in root.events.map { (root.stream, $0) } },
    JSONForm<(stream: StreamName, event: NewEvent)>([
      "type": .of { $0.event.type }, "stream": .of { $0.stream.text },
      "schema": .some { $0.event.schema == 1 ? nil : $0.event.schema },
      "payload": .of { RawJSON(text: $0.event.payload ?? "null") },
    ])),
])

/// The commands that exist.
private let commandsForm = JSONForm<[any CommandSource]>([
  "commands": .rows(
    { $0 },
    JSONForm<any CommandSource>([
      "name": .of { $0.name }, "words": .of { $0.words }, "examples": .of { $0.examples },
    ]))
])
