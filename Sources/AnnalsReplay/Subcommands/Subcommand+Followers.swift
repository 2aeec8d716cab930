import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let followers = Subcommand(
    name: "followers", operands: ["LOG"],
    summary: "List what follows the log, and how far behind it is; skip or forget a stuck one.",
    details: [
      "A follower keeps a checkpoint in the log: the last position that it has handled.",
      "--skip lets it go on after a position, without handling what is before; --forget",
      "lets it begin at the first event if it ever runs again. Stop the follower first.",
    ],
    options: [
      Option("--skip", "NAME", "Set a follower's checkpoint forward."),
      Option("--to", "PLACE", "The last position to skip; by default the next one."),
      Option("--forget", "NAME", "Delete a follower's checkpoint."),
      Option("--yes", "Do not ask. Without a terminal to ask on, it is needed."), times,
    ],
    examples: ["annals followers shop.annals", "annals followers shop.annals --skip mail --to 120 --yes"],
    run: { try $0.runFollowers() })

  static let kept = Subcommand(
    name: "kept", operands: ["LOG"],
    summary: "List what the log keeps beside its events.",
    details: ["Followers, saved lists, states of deciders, erasures, compactions and drafts."],
    options: [times],
    examples: ["annals kept shop.annals", "annals kept shop.annals --json"],
    run: { try $0.runKept() })
}

extension Session {
  fileprivate func runFollowers() throws -> ReplayError.Status {
    if arguments.has("--skip"), arguments.has("--forget") {
      throw ReplayError.usage("expected --skip or --forget, found both")
    }
    if arguments.has("--to"), !arguments.has("--skip") { throw ReplayError.usage("--to needs --skip NAME") }
    if let name = arguments.value("--skip") { return try skip(name) }
    if let name = arguments.value("--forget") { return try forget(name) }
    let store = try openLog()
    let (followers, head) = (try store.followers(), try store.head())
    for follower in followers { isJSON ? try printJSON(json(follower)) : try print(words(follower, head)) }
    if followers.isEmpty { say("no follower keeps a checkpoint in the log") }
    return .done
  }

  private func skip(_ name: String) throws -> ReplayError.Status {
    let store = try existingLog()
    let (old, head) = (try position(of: name, in: store), try store.head())
    if old > head {
      throw ReplayError(
        .negative,
        "\(name) is at position \(old), and the log ends at \(head): events were lost; restore a log that has them, or "
          + "let the follower begin at the first event: \(tool) followers LOG --forget \(JSONValue.quoted(name))")
    }
    guard let checkpoints = store.checkpoints else { throw ReplayError(.negative, "the log keeps no checkpoints") }
    let to = try skipped(in: store) ?? Position(old.rawValue + 1)
    guard to > old, to <= head else {
      throw ReplayError.usage(
        old >= head
          ? "\(name) is at the log's end, \(head): there is nothing to skip"
          : "--to: expected a position from \(old.rawValue + 1) to \(head), found \(to)")
    }
    let count = Text.counted(to.rawValue - old.rawValue, "position")
    try ask(
      "\(Text.safe(name)) goes on after position \(to), and never handles the \(count) from \(old.rawValue + 1) on.")
    guard try checkpoints.setCheckpoint(named: name, to: to, from: old) else {
      throw ReplayError(
        .negative, "nothing was changed: the follower \(name) has moved meanwhile; stop it, and try again")
    }
    if isJSON { try printJSON("{\"name\":\(JSONValue.quoted(name)),\"from\":\(old),\"to\":\(to)}") }
    if !isJSON { say("\(Text.safe(name)) goes on after position \(to); \(count) skipped") }
    return .done
  }

  /// The last position to skip, as the option names it; nil without the option.
  private func skipped(in store: SQLiteEventStore) throws -> Position? {
    guard let text = arguments.value("--to") else { return nil }
    // A number that is too large is named with what is allowed, by the caller.
    if text.allSatisfy({ $0.isASCII && $0.isNumber }) { return try arguments.number("--to").map { Position($0) } }
    return try place("--to", in: LogExtent(store), isState: false)
  }

  private func forget(_ name: String) throws -> ReplayError.Status {
    let store = try existingLog()
    // A damaged checkpoint can be forgotten too.
    let found = try store.followers().first { ExactString($0.name) == ExactString(name) }
    guard let found else { throw try unknown(name, in: store) }
    try ask("\(Text.safe(name)) is forgotten. If it ever runs again, it handles all events from the first one on.")
    try store.checkpoints?.deleteCheckpoint(named: name)
    let position = found.position.map { "\($0)" }
    if isJSON {
      try printJSON("{\"name\":\(JSONValue.quoted(name)),\"forgotten\":true,\"position\":\(position ?? "null")}")
    }
    if !isJSON { say("\(Text.safe(name)) forgotten\(position.map { ", which was at position \($0)" } ?? "")") }
    return .done
  }

  private func position(of name: String, in store: SQLiteEventStore) throws -> Position {
    guard let position = try store.checkpoints?.checkpoint(named: name) else { throw try unknown(name, in: store) }
    return position
  }

  private func unknown(_ name: String, in store: SQLiteEventStore) throws -> ReplayError {
    let names = try store.followers().map(\.name)
    let nearest = Nearest.name(to: name, among: names).map { "; did you mean \(JSONValue.quoted($0))?" }
    return ReplayError(
      .negative,
      "no follower \(JSONValue.quoted(name)) keeps a checkpoint in the log"
        + (nearest ?? (names.isEmpty ? "; none does" : "")))
  }

  private func words(_ follower: LogFollower, _ head: Position) -> String {
    guard follower.problem == nil, let position = follower.position, let lag = follower.lag else {
      return Text.safe("\(follower.name)  \(follower.problem ?? "")")
    }
    let time = follower.moved.map { times.clause(", moved ", $0.microseconds) } ?? ""
    let behind = lag == 0 ? "up to date" : "\(Text.counted(lag, "event")) behind"
    return Text.safe("\(follower.name)  position \(position) of \(head), \(behind)\(time)")
  }

  private func json(_ follower: LogFollower) -> String {
    let time = follower.moved.map { JSONValue.quoted(RFC3339.text(microseconds: $0.microseconds)) } ?? "null"
    return
      "{\"name\":\(JSONValue.quoted(follower.name)),\"position\":\(follower.position.map { "\($0)" } ?? "null"),"
      + "\"lag\":\(follower.lag.map { "\($0)" } ?? "null"),\"moved\":\(time),"
      + "\"problem\":\(follower.problem.map { JSONValue.quoted($0) } ?? "null")}"
  }

  fileprivate func runKept() throws -> ReplayError.Status {
    let store = try openLog()
    let (followers, lists, states) = (
      try store.followers(), try store.savedListSummaries(), try store.snapshotCount()
    )
    let (erasures, compactions, head) = (try store.erasureHistory(), try store.compactionHistory(), try store.head())
    let drafts = try store.savedDrafts()
    guard !isJSON else {
      func time(_ text: Int64) -> String { JSONValue.quoted(RFC3339.text(microseconds: text)) }
      let listTexts = lists.map {
        "{\"name\":\(JSONValue.quoted($0.name)),\"fingerprint\":\(JSONValue.quoted($0.fingerprint)),"
          + "\"position\":\($0.position),\"pages\":\($0.pages),\"bytes\":\($0.bytes),"
          + "\"saved\":\(time($0.saved.microseconds)),\"usable\":\($0.isUsable)}"
      }
      let erasureTexts = erasures.map {
        "{\"number\":\($0.number),\"subject\":\(JSONValue.quoted($0.subject)),\"position\":\($0.position),"
          + "\"time\":\(time($0.time.microseconds)),\"fields\":\($0.fields),\"complete\":\($0.isComplete)}"
      }
      let compactionTexts = compactions.map {
        "{\"number\":\($0.number),\"horizon\":\($0.horizon),\"time\":\(time($0.time.microseconds)),\"cut\":\($0.cut),"
          + "\"replaced\":\($0.replaced),\"complete\":\($0.isComplete)}"
      }
      let draftTexts = drafts.map {
        "{\"name\":\(JSONValue.quoted($0.name)),\"commands\":\($0.count),\"changed\":\(time($0.changed.microseconds))}"
      }
      try printJSON(
        "{\"followers\":[\(followers.map(json).joined(separator: ","))],"
          + "\"savedLists\":[\(listTexts.joined(separator: ","))],\"states\":\(states),"
          + "\"erasures\":[\(erasureTexts.joined(separator: ","))],"
          + "\"compactions\":[\(compactionTexts.joined(separator: ","))],"
          + "\"drafts\":[\(draftTexts.joined(separator: ","))]}")
      return .done
    }
    func show(_ count: Int, _ noun: String, _ lines: [String]) throws {
      try print(Text.counted(count, noun))
      for line in lines { try print("  " + line) }
    }
    try show(followers.count, "follower", followers.map { words($0, head) })
    try show(
      lists.count, "saved list",
      lists.map {
        Text.safe(
          "\($0.name)  position \($0.position), \(Text.counted($0.pages, "page")), \($0.bytes) bytes"
            + times.clause(", saved ", $0.saved.microseconds) + ($0.isUsable ? "" : ", not in use"))
      })
    try print("\(Text.counted(states, "state")) of deciders")
    try show(
      erasures.count, "erasure",
      erasures.map {
        Text.safe(
          "\($0.subject)  \(Text.counted($0.fields, "value")) up to position \($0.position)"
            + times.clause(", ", $0.time.microseconds) + ($0.isComplete ? "" : ", bytes may be left in the files"))
      })
    try show(
      compactions.count, "compaction",
      compactions.map {
        "up to position \($0.horizon)  \(Text.counted($0.cut, "event")) cut, \($0.replaced) replaced"
          + times.clause(", ", $0.time.microseconds) + ($0.isComplete ? "" : ", the file is not shorter yet")
      })
    try show(
      drafts.count, "draft",
      drafts.map {
        Text.safe(
          "\($0.name)  \(Text.counted($0.count, "command"))" + times.clause(", changed ", $0.changed.microseconds))
      })
    return .done
  }
}
