import Annals
import AnnalsLog

extension Subcommand {
  /// Executes commands of deciders, which its page lists.
  static func execute(of deciders: [any DeciderSource]) -> Subcommand {
    var subcommand = execute
    subcommand.choices = ["DECIDER": deciders.map(\.name)]
    for decider in deciders {
      let words = "\(decider.name)\(decider.hasStreams ? " ID" : "")"
      subcommand.details += ["", " \(words) JSON" + (decider.examples.isEmpty ? "" : ", for example")]
      subcommand.details += decider.examples.map { "   \($0)" }
    }
    let examples = deciders.compactMap { decider in
      decider.examples.first.map { json in
        "annals execute shop.annals \(decider.name)\(decider.hasStreams ? " main" : "") \(Completions.quoted(json))"
      }
    }
    if !examples.isEmpty { subcommand.examples = examples }
    return subcommand
  }

  private static let execute = Subcommand(
    name: "execute", operands: ["LOG", "DECIDER"], rest: "[ID] JSON",
    summary: "Let a decider of the app decide a command, and append its events.",
    details: [
      "ID says which of the decider's streams; a decider of boundaries takes none.",
      "JSON is the command. A log that is not there is created with the first events.",
      "Exit status: 1 if the decider refuses it.",
    ],
    options: [
      Option("--command-id", "ID", "Execute the command once: given again, nothing is added."),
      Option("--author", "NAME", "Who the events say did it."),
      Option("--dry-run", "Print the events, and append nothing."),
    ],
    examples: [
      "annals execute shop.annals Bookshop main '{\"reprice\":{\"id\":\"b1\",\"to\":9}}'",
      "annals execute shop.annals Seats '{\"book\":{\"seat\":7}}' --dry-run --json",
    ],
    run: { try $0.runExecute() })
}

extension Session {
  fileprivate func runExecute() throws -> ReplayError.Status {
    let decider = try decider(arguments.operands[1])
    let words = Array(arguments.operands.dropFirst(2))
    let expected = decider.hasStreams ? ["ID", "JSON"] : ["JSON"]
    if words.count < expected.count {
      throw ReplayError.usage("\(tool) execute LOG \(decider.name) needs \(expected[words.count])")
    }
    if words.count > expected.count {
      let advice = decider.hasStreams ? "" : ": \(decider.name) decides by boundaries, and has no streams"
      throw ReplayError.usage("\(tool) execute LOG \(decider.name) takes \(expected.joined(separator: " "))\(advice)")
    }
    let (id, json) = (decider.hasStreams ? words[0] : "", words[expected.count - 1])
    if decider.hasStreams, id.isEmpty { throw ReplayError.usage("ID: expected a stream's id, found \"\"") }
    if arguments.has("--dry-run") { return try decide(json, id, decider) }
    let commandID = arguments.value("--command-id")
    if let commandID, commandID.isEmpty { throw ReplayError.usage("--command-id: expected an id, found \"\"") }
    guard let store = try storeToExecute(json, id, decider) else { return .done }
    var metadata: Metadata = [:]
    metadata.author = arguments.value("--author")
    let receipt = try decider.execute(json, id: id, in: store, commandID: commandID, metadata: metadata)
    try print(receipt, of: store)
    return .done
  }

  /// The log, created if there is none and the command leads to events; nil if there is none and it does not.
  private func storeToExecute(_ json: String, _ id: String, _ decider: any DeciderSource) throws -> (any EventStore)? {
    let path = arguments.operands[0]
    if catalog.open != nil || Platform.file(path) != nil { return try writableStore() }
    // What is refused leaves no file behind.
    if try decideOnNothing(json, id, decider).events.isEmpty {
      say("the command led to no events")
      return nil
    }
    let store = try LogFile(path).create()
    say("\(Text.safe(path)) is a new log")
    return store
  }

  /// Decides a command on an empty log, because the log is not there.
  private func decideOnNothing(
    _ json: String, _ id: String, _ decider: any DeciderSource
  ) throws -> (stream: StreamName, events: [NewEvent]) {
    do {
      return try decider.decide(json, id: id, in: MemoryEventStore())
    } catch let error as ReplayError where error.status == .negative {
      throw ReplayError(
        .negative,
        "\(error.message)\n\(arguments.operands[0]) is not there, so that the command was decided on an empty log")
    }
  }

  private func print(_ receipt: Receipt, of store: any EventStore) throws {
    let last = receipt.position
    let events =
      receipt.count == 0
      ? [] : try store.events(.all, after: Position(last.rawValue - receipt.count), through: last, limit: receipt.count)
    if isJSON {
      let causes = events.map { JSONLines.cause(EventCause($0)) }.joined(separator: ",")
      return try printJSON("{\"position\":\(last),\"repeated\":\(receipt.isRepeated),\"events\":[\(causes)]}")
    }
    if receipt.isRepeated { say("the command was executed before, and nothing was added") }
    if receipt.count == 0 { say("the command led to no events") }
    let lines = TextLines(console, times)
    for event in events { try print(lines.event(event)) }
  }

  /// Prints what a command would lead to.
  private func decide(_ json: String, _ id: String, _ decider: any DeciderSource) throws -> ReplayError.Status {
    let (stream, events) =
      if catalog.open == nil, Platform.file(arguments.operands[0]) == nil {
        try decideOnNothing(json, id, decider)
      } else {
        // States that the log keeps are not read: keeping one may follow from it.
        try decider.decide(
          json, id: id, in: AlteredStore(openStore(), AlteredEvents([], payloads: [:], choices: [], known: 0)))
      }
    if isJSON {
      let parts = events.map { event in
        "{\"type\":\(JSONValue.quoted(event.type)),\"stream\":\(JSONValue.quoted(stream.text)),"
          + (event.schema == 1 ? "" : "\"schema\":\(event.schema),") + "\"payload\":\(event.payload ?? "null")}"
      }
      try printJSON("{\"dryRun\":true,\"events\":[\(parts.joined(separator: ","))]}")
      return .done
    }
    if events.isEmpty { say("the command would lead to no events") }
    for event in events { try print(Text.safe("\(stream)  \(event.type)  \(event.payload ?? "")")) }
    return .done
  }

  /// The decider of a name.
  private func decider(_ name: String) throws -> any DeciderSource {
    if let found = catalog.deciders.first(where: { ExactString($0.name) == ExactString(name) }) { return found }
    let names = catalog.deciders.map(\.name)
    if names.isEmpty {
      throw ReplayError.usage(
        "\(tool) has no deciders: an app's own tool registers them, ReplayTool(ReplayCommands(Bookshop.self), …)")
    }
    let nearest = Nearest.name(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "\(tool) has no decider \(JSONValue.quoted(name))\(nearest)\nits deciders are \(names.joined(separator: ", "))")
  }
}
