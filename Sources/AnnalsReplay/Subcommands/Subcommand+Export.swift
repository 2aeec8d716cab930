import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let export = Subcommand(
    name: "export", operands: ["LOG"],
    summary: "Print all events as CloudEvents, one a line.",
    details: [
      "What is printed can be imported; an import of it gives an equal export. What is",
      "redacted keeps its type: a text becomes \"[redacted]\", a number 0, true false, an",
      "array and an object empty. Redaction takes out what you name, at any depth of",
      "payloads and metadata. It cannot know that the same text is in a field of another",
      "name, in an event's id or in a stream's name: read what you give away. LOG may be",
      "the URL of a log in a server.",
    ],
    options: [
      Option("--without-personal", "Leave out all personal values, as if all were erased."),
      Option(
        "--redact", "WHAT", repeats: true,
        "A field's name, a path such as address.street, subject:NAME, or tags. Repeat it."),
      Option("--redacted", "Redact also what the app says is not for every reader."),
    ],
    examples: [
      "annals export shop.annals > shop.jsonl",
      "annals export shop.annals --without-personal --redact card",
    ],
    run: { try $0.runExport() })
}

extension Session {
  /// What `--redact` names.
  func redactedWords() throws -> [String] {
    // A subject's name may have a comma: both readings are hidden, the word as it is and its parts.
    let words = arguments.all("--redact").flatMap { word in
      word.contains(",") ? [word] + word.split(separator: ",").map(String.init) : [word]
    }
    if let word = words.first(where: { word in
      word == "subject:" || word.allSatisfy { "$.,".contains($0) }
    }) {
      throw ReplayError.usage("--redact: expected a field, a path or subject:NAME, found \"\(word)\"")
    }
    return words
  }

  fileprivate func runExport() throws -> ReplayError.Status {
    var redaction = Redaction(try redactedWords(), isWithoutPersonal: arguments.has("--without-personal"))
    if arguments.has("--redacted") {
      guard !catalog.redactedFields.isEmpty || !catalog.redactedTypes.isEmpty else {
        throw ReplayError.usage("--redacted: \(tool) has no redaction of an app; name what to redact with --redact")
      }
      redaction = redaction.union(Redaction(catalog.redactedFields.sorted(), types: catalog.redactedTypes))
    }
    let store: any EventStore = try farLog() ?? openLog()
    try export(store, redaction)
    return .done
  }

  private func export(_ store: some EventStore, _ redaction: Redaction) throws {
    let end = try store.head()
    let progress = Progress(console)
    defer { progress.end() }
    if redaction.isEmpty, !console.outputIsTerminal {
      var lines = CloudEventWriter()
      try forEachBatch(of: store, through: end) { batch in
        for index in 0..<batch.count { lines.add(batch, at: index) }
        try output.write(lines: lines.take())
        progress.step(batch.last?.rawValue ?? 0, of: end.rawValue, "events")
      }
      return
    }
    var labels = TransactionLabels()
    try forEachEvent(of: store, through: end) { event in
      let label = labels.label(of: event)
      try printJSON(CloudEvent.line(redaction.apply(to: event), transaction: label))
      if !console.outputIsTerminal { progress.step(event.position.rawValue, of: end.rawValue, "events") }
    }
  }
}
