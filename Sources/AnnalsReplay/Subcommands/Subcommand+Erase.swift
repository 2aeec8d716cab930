import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let erase = Subcommand(
    name: "erase", operands: ["LOG", "[SUBJECT]"],
    summary: "Erase a person's values from the events, or list the people in a log.",
    details: [
      "Deletes the values of all personal fields of SUBJECT, and saved lists. The events",
      "stay. The log's file is rewritten, so its files contain no bytes of the values, but",
      "earlier copies and exports do. Without SUBJECT, lists all subjects with their",
      "values, erased values, and first and last event. Exit status: 1 if the log has no",
      "such subject, or if a reader keeps bytes in the files. Then end the reader, and",
      "repeat the erasure. With SUBJECT, LOG can be the URL of a log on a server.",
      "Replicas of the log erase the values, too.",
    ],
    options: Option.beforeRewriting,
    examples: [
      "annals erase shop.annals", "annals erase shop.annals customer-7 --dry-run",
      "annals erase postgresql://books@db.example.com/books customer-7 --yes",
    ],
    output: .init(
      .lines, "A subject of personal fields, or the number of values that were or would be erased.",
      [subjectForm.schema, erasureForm.schema, erasurePlanForm.schema]),
    run: { try $0.runErase() })
}

extension Session {
  fileprivate func runErase() throws -> ReplayError.Status {
    guard let subject = arguments.operands.dropFirst().first else { return try listSubjects() }
    if subject.isEmpty { throw ReplayError.usage("SUBJECT: expected a subject to erase, found \"\"") }
    if let server = try serverLog() { return try erase(subject, in: server) }
    if arguments.has("--dry-run") {
      let store = try openLog()
      return try rehearse(store.valueCount(of: subject), subject, store)
    }
    let store = try existingLog()
    let count = try store.valueCount(of: subject)
    if count > 0 {
      try ask(
        "\(Text.counted(count, "value")) of \(Text.safe(subject)) will be erased from "
          + "\(Text.safe(arguments.operands[0])). The events stay.")
    }
    deleteIndexes(of: store)
    let receipt = try erase(subject, in: store, Text.counted(count, "value"))
    try print(receipt, of: subject)
    // If you erase a subject twice, the answer is success. If you mistype its name, you must learn that nothing was
    // erased.
    if receipt.fields == 0 { try checkIsKnown(subject, in: store) }
    if let remnants = receipt.remnants { throw ReplayError(.negative, remnants) }
    return .done
  }

  private func listSubjects() throws -> ReplayError.Status {
    // An empty variable in a script must not turn an erasure into a list.
    if let option = Subcommand.Option.beforeRewriting.first(where: { arguments.has($0.name) }) {
      throw ReplayError.usage(
        "\(option.name): expected a SUBJECT, found none. To list the subjects, leave out the options")
    }
    if RemoteLog.scheme(of: arguments.operands[0]) != nil, Platform.file(arguments.operands[0]) == nil {
      throw ReplayError.usage("expected a SUBJECT after a URL. To list the subjects, copy the log to a file first")
    }
    let subjects = try openLog().subjects()
    for subject in subjects {
      let (first, last) = (subject.events?.lowerBound, subject.events?.upperBound)
      if isData {
        try print(subject, as: subjectForm)
      } else {
        let erased = subject.erased > 0 ? ", \(subject.erased) erased" : ""
        let empty = subject.empty > 0 ? ", \(subject.empty) imported without a value" : ""
        let events = first.map { "  \($0)" } ?? ""
        let end = last == first ? "" : last.map { "…\($0)" } ?? ""
        try print(
          Text.safe("\(subject.name)  \(Text.counted(subject.values, "value"))\(erased)\(empty)\(events)\(end)"))
      }
    }
    if !subjects.isEmpty { return .done }
    say("the log has no personal fields")
    return .negative
  }

  /// Erases from a log on a server.
  ///
  /// The server has bytes for a while after each erasure, which is said and is no failure.
  private func erase(_ subject: String, in server: ServerLog) throws -> ReplayError.Status {
    if arguments.has("--dry-run") {
      try server.checkErases()
      return try rehearse(server.valueCount(of: subject, Progress(console)), subject, server)
    }
    if !arguments.has("--yes") {
      let count = try server.valueCount(of: subject, Progress(console))
      if count > 0 {
        try ask(
          "\(Text.counted(count, "value")) of \(Text.safe(subject)) will be erased from "
            + "\(Text.safe(RemoteLog.shown(arguments.operands[0]))), and from its replicas. The events stay.")
      }
    }
    let receipt = try server.erase(subject)
    try print(receipt, of: subject)
    if receipt.fields == 0 { try checkIsKnown(subject, in: server) }
    if let remnants = receipt.remnants, !isData { say(Text.safe(remnants)) }
    return .done
  }

  private func print(_ receipt: ErasureReceipt, of subject: String) throws {
    if isData {
      try print(receipt, as: erasureForm)
    } else if receipt.fields > 0 {
      say("\(Text.counted(receipt.fields, "value")) of \(Text.safe(subject)) erased")
    }
  }

  /// Erases, and says meanwhile how much of the log's file was written again.
  private func erase(_ subject: String, in store: SQLiteEventStore, _ what: String) throws -> ErasureReceipt {
    let progress = Progress(console)
    defer { progress.end() }
    progress.show("erasing \(what), and writing the log's file anew")
    let (file, unit) = (arguments.operands[0], 1_000_000)
    let total = (Platform.file(file)?.size ?? 0) / unit
    // SQLite does not say how far it is; what it has written is in the file of commits.
    return try InBackground { try store.erase(subject: subject) }.wait {
      let done = (Platform.file(file + "-wal")?.size ?? 0) / unit
      if total > 0 { progress.step(min(done, total), of: total, "MB written anew") }
    }
  }

  private func rehearse(_ count: Int, _ subject: String, _ store: some EventStore) throws -> ReplayError.Status {
    if isData { try print(count, as: erasurePlanForm) }
    if count == 0 {
      try checkIsKnown(subject, in: store)
    } else if !isData {
      say("\(Text.counted(count, "value")) of \(Text.safe(subject)) would be erased; nothing was changed")
    }
    return .done
  }

  /// Says that a subject without values in the log was erased before.
  ///
  /// Throws if no event ever had one.
  private func checkIsKnown(_ subject: String, in store: some EventStore) throws {
    // When a value is erased, its field stays in the event.
    var subjects: Set<ExactString> = []
    try store.read { log in
      try log.forEachEvent { event in
        guard let payload = event.payload else { return }
        for subject in try PersonalPayload.subjects(of: payload) { subjects.insert(ExactString(subject)) }
      }
    }
    if subjects.contains(ExactString(subject)) {
      if !isData { say("0 values of \(Text.safe(subject)) erased: all were erased before") }
      return
    }
    let nearest = Nearest.names(to: subject, among: subjects.sorted().map(\.text)).map { JSONValue.quoted($0) }
    let count = Text.counted(subjects.count, "subject")
    if subjects.isEmpty {
      throw ReplayError(
        .negative,
        "nothing was erased: the log has no personal values. To remove records, delete them, for example with `\(tool) "
          + "do LOG delete ID`, and cut the history with `\(tool) compact LOG`. Older copies keep the values")
    }
    throw ReplayError(
      .negative,
      "nothing was erased: the log has no personal values of \(JSONValue.quoted(subject)); "
        + (nearest.isEmpty
          ? "it has those of \(count), none with a name like it"
          : "did you mean \(nearest.joined(separator: " or "))?"))
  }
}

private let subjectForm = JSONForm<LogSubject>([
  "subject": .of(\.name), "values": .of(\.values), "erased": .of(\.erased), "empty": .of(\.empty),
  "first": .of(\.events?.lowerBound), "last": .of(\.events?.upperBound),
])

private let erasureForm = JSONForm<ErasureReceipt>([
  "fields": .of(\.fields), "complete": .of(\.isComplete, "False if bytes may be left in the files."),
])

private let erasurePlanForm = JSONForm<Int>(["fields": .of { $0 }, "dryRun": .isTrue])
