import Annals
import Foundation

extension Session {
  /// Compares what this tool and another version of it show of one log, position by position.
  func runDiffOfCode() throws -> ReplayError.Status {
    guard let path = arguments.value("--code"), !path.isEmpty else {
      throw ReplayError.usage("--code: expected an executable, found \"\"")
    }
    let log = try LogExtent(openStore())
    let from = try place("--from", in: log) ?? 0
    let to = try place("--to", in: log) ?? log.end
    if from > to { throw ReplayError.usage("--from \(from) is after --to \(to)") }
    let every = try arguments.number("--every")
    if every == 0 { throw ReplayError.usage("--every: expected a whole number from 1, found \"0\"") }
    guard let reader = try openList(log, through: to) else { return .done }
    var words = ["replay", arguments.operands[0], "--json", "--from", "\(from)", "--to", "\(to)"]
    if let every { words += ["--batch", "\(every)"] }
    for option in Subcommand.list where option.value != nil && option.name != "--time" {
      for value in arguments.all(option.name) { words.append("\(option.name)=\(value)") }
    }
    let old = try OldTool(path, words)
    var comparison = CodeComparison(self, reader, old, path)
    do {
      let progress = Progress(console)
      defer { progress.end() }
      var found = try comparison.goes(to: from)
      if found == nil {
        struct Enough: Error {}
        do {
          try (every.map(Batching.events) ?? .transaction).forEachEnd(self, log, after: from, through: to) { end in
            progress.step(end.rawValue, of: to.rawValue, "events")
            found = try comparison.goes(to: end)
            if found != nil { throw Enough() }
          }
        } catch is Enough {}
      }
      if found == nil { found = try comparison.ends(at: to) }
      old.terminate()
      progress.end()
      return try print(found, reader, log, path)
    } catch {
      old.terminate()
      throw error
    }
  }

  private func print(
    _ found: ListBatch?, _ reader: any ListReader, _ log: LogExtent, _ path: String
  ) throws -> ReplayError.Status {
    tellOfFields(reader)
    guard var found else {
      say(Text.safe("\(path) shows the same list at every position"))
      return .done
    }
    if found.to > 0 {
      found.events = try log.event(exactlyAt: found.to).map { [EventCause($0)] } ?? []
      found.eventCount = found.events.count
    }
    if isJSON {
      let members = ",\"position\":\(found.to),\"code\":\(JSONValue.quoted(path))"
      try printJSON(
        JSONLines.adding(members, to: JSONLines.batch(found, from: found.from, inserting: nil, counted: countsOnly)))
      return .negative
    }
    let lines = TextLines(console, times)
    try print("\(found.to)" + lines.cause(of: found))
    for line in lines.batch(found, from: found.from, counted: countsOnly).dropFirst() { try print(line) }
    say(Text.safe("the lists differ from position \(found.to) on; - is what \(path) shows, + what \(tool) shows"))
    return .negative
  }
}

/// The lists of this tool and of another version, side by side.
///
/// As long as both print the same batches, their lists are equal. Whole lists are compared only where batches differ.
private struct CodeComparison {
  private let session: Session
  private let reader: any ListReader
  private let old: OldTool
  private let path: String
  private var lines: LineReader
  /// The list of the other tool.
  private var shown = PrintedList()
  /// The other tool's batch that was read and not applied yet.
  private var next: (to: Int, batch: JSONValue)?
  private var hasEnded = false
  /// Up to where the lists were found equal.
  private var equal: Position = 0

  init(_ session: Session, _ reader: any ListReader, _ old: OldTool, _ path: String) {
    self.session = session
    self.reader = reader
    self.old = old
    self.path = path
    lines = LineReader { try old.read() }
  }

  /// Goes to a position; answers what differs there, nil if nothing does.
  mutating func goes(to position: Position) throws -> ListBatch? {
    let found = try differs(at: position)
    if found == nil { equal = position }
    return found
  }

  private mutating func differs(at position: Position) throws -> ListBatch? {
    let batch = try reader.go(to: position)
    let other = try batches(through: position)
    // Without sections the other tool's first line brings the only one.
    if batch.isEmpty, other.isEmpty { return nil }
    if other.count == 1, let line = other.first,
      Self.isSame(line, try JSONValue(parsing: JSONLines.batch(batch, from: batch.from, inserting: nil)))
    {
      return nil
    }
    let mine = try PrintedList(reader.list)
    if shown.isNothing, mine.isNothing || mine == shown { return nil }
    return mine == shown ? nil : shown.difference(to: mine, at: position)
  }

  /// Sees to it that the other tool has ended well, and has no more to show.
  mutating func ends(at position: Position) throws -> ListBatch? {
    _ = try batches(through: Position(Int.max))
    let mine = try PrintedList(reader.list)
    return mine == shown || shown.isNothing && mine.isNothing ? nil : shown.difference(to: mine, at: position)
  }

  /// The other tool's batches up to a position, which are applied.
  private mutating func batches(through position: Position) throws -> [JSONValue] {
    var found: [JSONValue] = []
    while true {
      if next == nil, !hasEnded { next = try read() }
      guard let (to, batch) = next, to <= position.rawValue else { return found }
      do {
        try shown.apply(batch)
      } catch let problem as PrintedList.Problem {
        throw ReplayError(.inputOutput, "--code: \(path): its batch to \(to) is none of its list: \(problem.reason)")
      }
      found.append(batch)
      next = nil
    }
  }

  private mutating func read() throws -> (to: Int, batch: JSONValue)? {
    guard let line = try lines.next() else {
      hasEnded = true
      let (status, talk) = old.end()
      if status != 0 {
        // A tool that cannot read an event which this one reads shows no list from there on.
        let isUnreadable = status == ReplayError.Status.unreadable.rawValue
        throw ReplayError(
          isUnreadable ? .negative : .inputOutput,
          "--code: \(old.failure(status, talk))\nup to \(equal) the lists are equal")
      }
      return nil
    }
    guard let batch = try? JSONValue(parsing: line), let to = batch["to"]?.int else {
      throw ReplayError(
        .inputOutput,
        "--code: expected the lines of \(path) replay --json, found \"\(line.shortened(to: 60))\"")
    }
    return (to, batch)
  }

  /// True if two batches say the same of sections and rows.
  private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    func core(_ changes: JSONValue?) -> [JSONValue]? {
      changes?.array?.map { change in
        guard case .object(let members) = change else { return change }
        return .object(members.filter { $0.name != "old" && $0.name != "events" })
      }
    }
    return core(one["sections"]) == core(other["sections"]) && core(one["rows"]) == core(other["rows"])
  }
}

extension PrintedList {
  /// True if there is no row and no title: a list without sections has no section yet, or one.
  fileprivate var isNothing: Bool { sections.allSatisfy { $0.rows.isEmpty && $0.key == .null } }
}
