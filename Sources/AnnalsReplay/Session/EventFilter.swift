import Annals
import AnnalsLog
import Foundation

/// Finds the events of a choice.
struct EventFilter: Sendable {
  /// The patterns of which a name must fit one, and those that it must not fit.
  private struct Names: Sendable {
    var wanted: [Glob] = []
    var unwanted: [Glob] = []

    init(_ values: [String]) {
      for value in values {
        if value.hasPrefix("!") { unwanted.append(Glob(String(value.dropFirst()))) } else { wanted.append(Glob(value)) }
      }
    }

    var isEmpty: Bool { wanted.isEmpty && unwanted.isEmpty }

    func allow(_ name: String?) -> Bool {
      guard let name else { return wanted.isEmpty }
      if unwanted.contains(where: { $0.matches(name) }) { return false }
      return wanted.isEmpty || wanted.contains { $0.matches(name) }
    }

    func allow(anyOf names: [String]) -> Bool {
      if names.contains(where: { name in unwanted.contains { $0.matches(name) } }) { return false }
      return wanted.isEmpty || names.contains { name in wanted.contains { $0.matches(name) } }
    }
  }

  let choice: EventChoice
  private let streams: Names
  private let types: Names
  private let tags: Names
  private let authors: Names
  private let correlations: Names
  private let sources: Names
  /// The regular expressions, of which an event must match all that are wanted and no others.
  private let expressions: [(pattern: TextPattern, isWanted: Bool)]
  private let condition: RowCondition?
  private let use: FieldUse
  /// The ids of the commands that are asked for, or left out.
  private let commands: Names
  /// The transactions of the commands that are asked for; nil if all are.
  private var ranges: [ClosedRange<Position>]?
  /// The transactions of the commands that are left out.
  private var unwanted: [ClosedRange<Position>] = []
  /// The last position whose command is known.
  private var known: Position

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - choice: The choice of events.
  ///   - session: The run.
  ///   - log: The log.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  init(_ choice: EventChoice, _ session: Session, _ log: LogExtent) throws {
    self.choice = choice
    streams = Names(choice.values(of: "stream"))
    types = Names(choice.values(of: "type"))
    tags = Names(choice.values(of: "tag"))
    authors = Names(choice.values(of: "author"))
    correlations = Names(choice.values(of: "correlation"))
    sources = Names(choice.values(of: "source"))
    expressions = try choice.values(of: "grep").map { text in
      let isWanted = !text.hasPrefix("!")
      do {
        return (try TextPattern(isWanted ? text : String(text.dropFirst())), isWanted)
      } catch {
        throw ReplayError.usage("grep: expected a regular expression, found \"\(text)\"")
      }
    }
    session.console.patterns.add(expressions.map(\.pattern))
    condition = try choice.condition.isEmpty ? nil : session.condition(choice.condition, of: "choice")
    use = FieldUse(condition.map { [$0] } ?? [])
    commands = Names(choice.values(of: "command"))
    known = log.end
    if !commands.isEmpty {
      let (wanted, unwanted) = try Self.ranges(ofCommands: commands, in: log)
      ranges = wanted
      self.unwanted = unwanted
    }
  }

  /// The transactions of the commands that are asked for, nil if all events are, and of those that are left out.
  private static func ranges(
    ofCommands names: Names, in log: LogExtent
  ) throws -> (wanted: [ClosedRange<Position>]?, unwanted: [ClosedRange<Position>]) {
    func exact(_ globs: [Glob]) throws -> [ClosedRange<Position>] {
      try globs.compactMap { try log.store.receipt(ofCommand: $0.text)?.events }
    }
    if (names.wanted + names.unwanted).allSatisfy(\.isExact) {
      return (names.wanted.isEmpty ? nil : try exact(names.wanted), try exact(names.unwanted))
    }
    guard let commands = try log.store.index.commands() else {
      throw ReplayError(
        .negative, "command: the log's store does not list its commands, so expected an id without * and ?")
    }
    var (wanted, unwanted) = ([ClosedRange<Position>](), [ClosedRange<Position>]())
    for command in commands {
      guard let range = command.events else { continue }
      if names.wanted.contains(where: { $0.matches(command.id) }) { wanted.append(range) }
      if names.unwanted.contains(where: { $0.matches(command.id) }) { unwanted.append(range) }
    }
    return (names.wanted.isEmpty ? nil : wanted, unwanted)
  }

  /// True if an event passes that may have come after the filter was made, whose command is then asked for.
  ///
  /// - Parameters:
  ///   - event: The event, none before those that were asked already.
  ///   - names: Names the commands of events.
  /// - Returns: True if the event passes.
  /// - Throws: `EventStoreError`.
  mutating func passes(_ event: StoredEvent, _ names: CommandNames) throws -> Bool {
    if !commands.isEmpty, event.position > known {
      known = event.position
      if let command = try names.command(of: EventCause(event)) { add(event.position, of: command) }
    }
    return includes(event)
  }

  /// Notes which command appended an event.
  private mutating func add(_ position: Position, of command: String) {
    // A follower may run for weeks: what comes one after the other is one range.
    func add(to ranges: [ClosedRange<Position>]) -> [ClosedRange<Position>] {
      guard let last = ranges.last, last.upperBound == position.before else { return ranges + [position...position] }
      return ranges.dropLast() + [last.lowerBound...position]
    }
    if commands.wanted.contains(where: { $0.matches(command) }) { ranges = add(to: ranges ?? []) }
    if commands.unwanted.contains(where: { $0.matches(command) }) { unwanted = add(to: unwanted) }
  }

  /// The part of the filter that a store answers from its indices.
  ///
  /// - Parameter log: The log, whose streams and types patterns are looked up in.
  /// - Returns: The query; nil if nothing can match.
  /// - Throws: `EventStoreError`.
  func query(_ log: LogExtent) throws -> EventQuery? {
    if let ranges, ranges.isEmpty { return nil }
    var alternative = EventQuery.Alternative()
    if !streams.wanted.isEmpty {
      let names = try Self.names(streams.wanted, { try log.store.index.streamNames().map(\.text) })
      alternative.streams = Set(names.map { StreamName($0) })
      if names.isEmpty { return nil }
    }
    if !types.wanted.isEmpty {
      let names = try Self.names(types.wanted, { try log.store.index.eventTypes() })
      alternative.types = Set(names)
      if names.isEmpty { return nil }
    }
    let exact = tags.wanted.filter(\.isExact)
    if !exact.isEmpty, exact.count == tags.wanted.count {
      return EventQuery(
        exact.map { tag in
          var one = alternative
          one.tags = [EventTag(tag.text)]
          return one
        })
    }
    return alternative == EventQuery.Alternative() ? .all : EventQuery([alternative])
  }

  /// Throws if the choice has a name that no event of the log has, with the nearest name that occurs.
  ///
  /// - Complexity: O(n) in the number of events unless only types and streams are chosen, so this is for a choice that
  ///   found no event.
  func checkNames(in log: LogExtent, _ session: Session) throws {
    func check(_ names: Names, _ key: String, _ known: some Sequence<String>) throws {
      let known = Array(known)
      for glob in names.wanted where !known.contains(where: { glob.matches($0) }) {
        // `tag:undo` may mean undo:ann.
        let near = Nearest.name(to: glob.text, among: known) ?? known.first { $0.hasPrefix(glob.text) }
        let nearest = near.map { "; did you mean \($0)?" } ?? ""
        throw ReplayError.usage("no event of the log has the \(key) \(Text.name(glob.text))\(nearest)")
      }
    }
    if log.end == 0 { return }
    try use.checkKinds("choice")
    if !use.unknown().isEmpty {
      // The range and the other words of the choice may have left out the events with the field.
      try session.forEachEvent(of: log.store, through: log.end) { _ = payload(of: $0) }
      if let field = use.unknown().first { throw ReplayError.usage(field.sentence("no event of the log has a field")) }
    }
    if !types.wanted.isEmpty { try check(types, "type", log.store.index.eventTypes()) }
    if !streams.wanted.isEmpty { try check(streams, "stream", log.store.index.streamNames().map(\.text)) }
    let kinds = [(tags, "tag"), (authors, "author"), (correlations, "correlation"), (sources, "source")]
    let wanted = kinds.filter { !$0.0.wanted.isEmpty }
    if wanted.isEmpty, commands.wanted.isEmpty { return }
    var known: [String: Set<String>] = [:]
    if !wanted.isEmpty {
      try session.forEachEvent(of: log.store, through: log.end) { event in
        for tag in event.tags { known["tag", default: []].insert(tag.text) }
        if let author = event.metadata.author { known["author", default: []].insert(author) }
        if let id = event.metadata.correlation { known["correlation", default: []].insert(id) }
        known["source", default: []].insert(event.id.source)
      }
    }
    for (names, key) in wanted { try check(names, key, (known[key] ?? []).sorted()) }
    guard !commands.wanted.isEmpty, let known = try log.store.index.commands() else { return }
    try check(commands, "command", known.map(\.id))
  }

  /// The positions between which the events of the asked commands are; all without them.
  func bounds(_ from: Position, _ to: Position) -> (from: Position, to: Position) {
    guard let ranges, let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max() else {
      return (from, to)
    }
    return (max(from, first), min(to, last))
  }

  /// The names that fit patterns.
  private static func names(_ globs: [Glob], _ all: () throws -> [String]) throws -> [String] {
    if globs.allSatisfy(\.isExact) { return globs.map(\.text) }
    return try all().filter { name in globs.contains { $0.matches(name) } }
  }

  /// The positions of the events of a batch that pass.
  ///
  /// - Parameters:
  ///   - from: The position before the batch.
  ///   - to: The batch's end.
  ///   - events: The batch's events, if you have them; otherwise none.
  ///   - log: The log.
  /// - Returns: The positions.
  /// - Throws: `EventStoreError`.
  func positions(
    after from: Position, through to: Position, _ events: [StoredEvent], in log: LogExtent
  ) throws -> Set<Position> {
    var found: Set<Position> = []
    func take(_ event: StoredEvent) { if includes(event) { found.insert(event.position) } }
    if events.isEmpty { try log.store.forEachEvent(after: from, through: to, take) } else { events.forEach(take) }
    return found
  }

  /// Throws if a regular expression of the filter needed too much work.
  func check() throws {
    for pattern in expressions.map(\.pattern) + (condition?.patterns ?? []) {
      if let problem = pattern.problem { throw problem }
    }
  }

  /// True if an event passes; of what `query` asks, too.
  func includes(_ event: StoredEvent) -> Bool {
    guard streams.allow(event.stream.text), types.allow(event.type), sources.allow(event.id.source) else {
      return false
    }
    if let ranges, !ranges.contains(where: { $0.contains(event.position) }) { return false }
    if unwanted.contains(where: { $0.contains(event.position) }) { return false }
    if !tags.isEmpty, !tags.allow(anyOf: event.tags.map(\.text)) { return false }
    if !authors.isEmpty, !authors.allow(event.metadata.author) { return false }
    if !correlations.isEmpty, !correlations.allow(event.metadata.correlation) { return false }
    for (pattern, isWanted) in expressions {
      let isFound = [event.payload ?? "", event.metadata.json].contains { pattern.matches($0) }
      if isFound != isWanted { return false }
    }
    return condition?.includes(payload(of: event)) ?? true
  }

  /// The payload of an event as the condition reads it, after its fields were noted.
  private func payload(of event: StoredEvent) -> JSONValue {
    var payload = event.payload.flatMap { try? JSONValue(parsing: $0) } ?? .null
    if case .object(var members) = payload {
      // A record's fields have the same names as in a condition on rows.
      if RecordEvent.types.contains(event.type), case .object(let fields)? = payload["fields"] {
        members = fields + members.filter { payload["fields"]?[$0.name] == nil }
        payload = .object(members)
      }
      use.note(members) { $0.value(in: payload) }
    }
    return payload
  }
}

extension EventFilter {
  /// Texts: each event that passes has one of them in its metadata; nil if no option asks for such texts.
  var mentionedTexts: [String]? {
    // A correlation is rarer than an author.
    for names in [correlations, authors] where !names.wanted.isEmpty && names.wanted.allSatisfy(\.isExact) {
      return names.wanted.map(\.text)
    }
    return nil
  }
}

extension LogExtent {
  /// True if JSON writes a text in one way only, so that it can be looked for among bytes.
  static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C && $0 != 0x2F }
  }
}
