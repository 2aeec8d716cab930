import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let followers = Subcommand(
    name: "followers", operands: ["LOG", "[NAME]"], rest: "[PLACE]",
    summary: "List the log's followers and how far they are behind, or move a follower's checkpoint.",
    details: [
      "A follower's checkpoint in the log is the last position that the follower has",
      "handled. PLACE moves the checkpoint forward, so that the follower doesn't handle the",
      "events up to PLACE. 0 deletes the checkpoint, so that the follower begins at the",
      "first event when it next runs. Stop the follower before you move its checkpoint.",
    ],
    options: [
      Option("--yes", "Don't ask for confirmation. Needed without a terminal."), times,
    ],
    examples: ["annals followers shop.annals", "annals followers shop.annals mail 120 --yes"],
    output: .init(
      .lines, "A follower, or with PLACE the change of its checkpoint.",
      [followerForm.schema, skippedForm.schema, forgottenForm.schema]),
    run: { try $0.runFollowers() })
}

extension Session {
  fileprivate func runFollowers() throws -> ReplayError.Status {
    let (name, place) = (arguments.operands.dropFirst().first, arguments.operands.dropFirst(2).joined(separator: " "))
    if let name, !place.isEmpty { return place == "0" ? try forget(name) : try skip(name, to: place) }
    let store = try openLog()
    let (all, head) = (try store.followers(), try store.head())
    let followers = name.map { name in all.filter { ExactString($0.name) == ExactString(name) } } ?? all
    if let name, followers.isEmpty { throw try unknown(name, in: store) }
    for follower in followers {
      if isData { try print(follower, as: followerForm) }
      let lines = isData ? [] : WhyPage.fit([words(follower, head)], console.columns, hanging: "  ")
      for line in lines { try print(line) }
    }
    if followers.isEmpty { say("no follower keeps a checkpoint in the log") }
    return .done
  }

  private func skip(_ name: String, to place: String) throws -> ReplayError.Status {
    let store = try existingLog()
    let (old, head) = (try position(of: name, in: store), try store.head())
    if old > head {
      throw ReplayError(
        .negative,
        "\(name) is at position \(old), and the log ends at \(head): events were lost; restore a log that has them, or "
          + "let the follower begin at the first event: \(tool) followers LOG \(JSONValue.quoted(name)) 0")
    }
    guard let checkpoints = store.checkpoints else { throw ReplayError(.negative, "the log keeps no checkpoints") }
    // The error for a number that is too large names the allowed positions.
    let number = Arguments.wholeNumber(place).map { Position($0) }
    let to = try number ?? self.place(place, of: "PLACE", in: LogExtent(store), isState: false)
    guard to > old, to <= head else {
      throw ReplayError.usage(
        old >= head
          ? "\(name) is at the log's end, \(head): there is nothing to skip"
          : "PLACE: expected a position from \(old.rawValue + 1) to \(head), found \(to)")
    }
    let count = Text.counted(to.rawValue - old.rawValue, "position")
    try ask(
      "\(Text.safe(name)) continues after position \(to), and never handles the \(count) from \(old.rawValue + 1) on.")
    guard try checkpoints.setCheckpoint(named: name, to: to, from: old) else {
      throw ReplayError(
        .negative, "nothing was changed: the follower \(name) has moved meanwhile; stop it, and try again")
    }
    if isData {
      try print((name, old, to), as: skippedForm)
    } else {
      say("\(Text.safe(name)) continues after position \(to); \(count) skipped")
    }
    return .done
  }

  private func forget(_ name: String) throws -> ReplayError.Status {
    let store = try existingLog()
    // A damaged checkpoint can be forgotten too.
    let found = try store.followers().first { ExactString($0.name) == ExactString(name) }
    guard let found else { throw try unknown(name, in: store) }
    try ask("\(Text.safe(name)) is forgotten. If it ever runs again, it handles all events from the first one on.")
    try store.checkpoints?.deleteCheckpoint(named: name)
    if isData {
      try print(found, as: forgottenForm)
    } else {
      say("\(Text.safe(name)) forgotten\(found.position.map { ", which was at position \($0)" } ?? "")")
    }
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
}

let followerForm = JSONForm<LogFollower>([
  "name": .of(\.name), "position": .of(\.position), "lag": .of(\.lag), "moved": .of(\.moved),
  "problem": .of(\.problem, "The reason why its checkpoint cannot be read."),
])

private let skippedForm = JSONForm<(name: String, from: Position, to: Position)>([
  "name": .of { $0.name }, "from": .of { $0.from }, "to": .of { $0.to },
])

private let forgottenForm = JSONForm<LogFollower>([
  "name": .of(\.name), "forgotten": .isTrue, "position": .of(\.position),
])
