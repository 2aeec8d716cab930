import Annals
import AnnalsLog
import AnnalsSQLite

extension Session {
  /// Prints the events of a correlation, a command or an event as a tree.
  ///
  /// An event is below the event that caused it. The effects of the events belong to the tree too, also if they have
  /// another correlation or none. An event that the range or the choice excludes is replaced by its effects.
  func printTree(
    of id: String, _ range: PlaceRange?, _ choice: EventChoice, in log: LogExtent
  ) throws -> ReplayError.Status {
    var events = try traced(id, in: log)
    if events.isEmpty, let place = try? place(id, of: "--tree", in: log, isState: false, isSilent: true),
      let event = try log.event(exactlyAt: place)
    {
      events = try traced(event.id.id, in: log)
    }
    guard !events.isEmpty else {
      throw ReplayError(
        .negative, "nothing in the log has the correlation, command or event id \(JSONValue.quoted(id))")
    }
    let filter = try EventFilter(choice, self, log)
    let (from, to) = try self.events(of: range, in: log)
    let shown = events.filter { $0.position >= from && $0.position <= to && filter.includes($0) }
    if shown.isEmpty {
      try filter.checkNames(in: log, self)
      say("none of \(Text.counted(events.count, "event")) of the tree is in the range and the choice")
      return .negative
    }
    let commands = CommandNames(log.store)
    let causes = try events.map { event in
      var cause = catalog.cause(event)
      cause.command = try commands.command(of: cause)
      return cause
    }
    var changes: [Position: ListBatch] = [:]
    var listName = ""
    if arguments.has("--with-list"), let last = shown.last, let reader = try openList(log, through: last.position) {
      listName = reader.name
      for event in shown where log.compacted.shows(event.position) && log.compacted.shows(event.position.before) {
        try reader.move(to: event.position.before)
        changes[event.position] = try reader.go(to: event.position)
      }
    }
    let tree = TraceTree(causes, showing: Set(shown.map(\.position)))
    if isData {
      for (event, parent) in tree.events {
        try print((event, parent, changes[event.position].map { (listName, BatchOutput($0)) }), as: treeEventForm)
      }
    } else {
      let lines = textLines
      for line in tree.lines(id, times, changes, listName, lines) { try print(line) }
    }
    return .done
  }

  /// The events of the whole that an id belongs to, in order.
  private func traced(_ id: String, in log: LogExtent) throws -> [StoredEvent] {
    var wholes: Set<ExactString> = [ExactString(id)]
    var seeds: [StoredEvent] = []
    if let place = try? log.position(ofEvent: id), let event = try log.event(exactlyAt: place) { seeds.append(event) }
    if let receipt = try? log.store.receipt(ofCommand: id), let events = receipt.events {
      seeds += try log.store.events(
        .all, after: events.lowerBound.before, through: events.upperBound, limit: receipt.count)
    }
    for seed in seeds { wholes.insert(ExactString(seed.metadata.correlation ?? seed.id.id)) }
    // An event that belongs to nothing began a whole that is called by its id.
    var found = Dictionary(seeds.map { ($0.position, $0) }) { first, _ in first }
    let progress = Progress(console)
    defer { progress.end() }
    try log.forEachEvent(mentioning: wholes.map(\.text), self) { event in
      progress.step(event.position.rawValue, of: log.end.rawValue, "events")
      let belongs = [event.metadata.correlation, event.metadata.causation, event.id.id].contains { text in
        text.map { wholes.contains(ExactString($0)) } ?? false
      }
      if belongs { found[event.position] = event }
    }
    try addEffects(to: &found, in: log, progress)
    return found.values.sorted { $0.position < $1.position }
  }

  /// Adds what events caused, and what that caused, whatever its correlation.
  private func addEffects(to found: inout [Position: StoredEvent], in log: LogExtent, _ progress: Progress) throws {
    var asked: Set<ExactString> = []
    while let first = found.keys.min() {
      let ids = Set(found.values.map { ExactString($0.id.id) }).subtracting(asked)
      if ids.isEmpty { return }
      asked.formUnion(ids)
      // Each id costs a look at each event's metadata. An effect comes after its cause: of many ids one pass finds all.
      let isOnePass = ids.count > 24
      func take(_ event: StoredEvent) {
        progress.step(event.position.rawValue, of: log.end.rawValue, "events")
        guard found[event.position] == nil, let cause = event.metadata.causation, asked.contains(ExactString(cause))
        else { return }
        found[event.position] = event
        if isOnePass { asked.insert(ExactString(event.id.id)) }
      }
      if isOnePass { return try forEachEvent(of: log.store, after: first, through: log.end, take) }
      try log.forEachEvent(mentioning: ids.map(\.text), self, take)
    }
  }
}

extension LogExtent {
  /// Hands over the events whose metadata have one of some texts, and perhaps others, in order.
  func forEachEvent(mentioning texts: [String], _ session: Session, _ body: (StoredEvent) throws -> Void) throws {
    guard texts.allSatisfy(Self.isPlain) else { return try session.forEachEvent(of: store, through: end, body) }
    let index = try session.mentionIndex(self)
    let start = index?.end ?? 0
    let found = try store.index.positions(
      mentioning: texts, after: start, through: end, limit: nil, newestFirst: false)
    for position in (index?.positions(mentioning: texts) ?? []) + (found ?? []) {
      if let event = try event(exactlyAt: position) { try body(event) }
    }
    if found == nil { try session.forEachEvent(of: store, after: start, through: end, body) }
  }
}

/// Events under what caused them.
private struct TraceTree {
  private struct Node {
    let event: EventCause
    var children: [Int] = []
  }

  /// What the roots stand under: commands by their ids, in the order of their first events, or nothing.
  private var roots: [(command: String?, events: [Int])] = []
  private var nodes: [Node]
  /// How many events the whole has, those that are not shown too.
  private let total: Int

  /// - Parameters:
  ///   - events: All events of the whole, in order.
  ///   - shown: The positions of those that are shown.
  init(_ events: [EventCause], showing shown: Set<Position>) {
    (nodes, total) = ([], events.count)
    // What is left out stands for the event that it stands under, if there is one.
    var byID: [ExactString: Int?] = [:]
    for event in events {
      let id = ExactString(event.id.id)
      // A cause comes before its effect; a circle of causes is no tree.
      let parent = event.metadata.causation.flatMap { byID[ExactString($0)] ?? nil }
      guard shown.contains(event.position) else {
        if byID[id] == nil { byID[id] = .some(parent) }
        continue
      }
      let index = nodes.count
      nodes.append(Node(event: event))
      if byID[id] == nil { byID[id] = index }
      if let parent {
        nodes[parent].children.append(index)
      } else if let place = roots.firstIndex(where: {
        $0.command.map(ExactString.init) == event.command.map(ExactString.init)
      }) {
        roots[place].events.append(index)
      } else {
        roots.append((event.command, [index]))
      }
    }
  }

  /// A duration in seconds, or from one hour on in its two largest units.
  private static func duration(_ seconds: Double) -> String {
    let minutes = Int(seconds / 60)
    if minutes < 60 { return "\((seconds * 10).rounded() / 10) s" }
    let hours = minutes / 60
    return hours < 24 ? "\(hours) h \(minutes % 60) min" : "\(hours / 24) d \(hours % 24) h"
  }

  func lines(
    _ id: String, _ times: TimeStyle, _ changes: [Position: ListBatch], _ list: String, _ text: TextLines
  ) -> [String] {
    let all = nodes.map(\.event.time)
    let duration = Self.duration(Double((all.max() ?? 0) - (all.min() ?? 0)) / 1_000_000)
    let count = (nodes.count < total ? "\(nodes.count) of " : "") + Text.counted(total, "event")
    var lines = [Text.safe("\(id)  \(count), \(duration)")]
    for (index, root) in roots.enumerated() {
      let isLast = index == roots.count - 1
      // What has the heading's name needs no name of its own.
      let isWhole = roots.count == 1 && root.command.map(ExactString.init) == ExactString(id)
      if let command = root.command, !isWhole {
        lines.append((isLast ? "└─ " : "├─ ") + Text.safe(command))
        add(root.events, isLast ? "   " : "│  ", &lines, times, changes, list, text)
      } else {
        add(root.events, "", &lines, times, changes, list, text, isOpen: !isLast)
      }
    }
    return lines
  }

  private func add(
    _ events: [Int], _ indent: String, _ lines: inout [String], _ times: TimeStyle, _ changes: [Position: ListBatch],
    _ list: String, _ text: TextLines, isOpen: Bool = false
  ) {
    for (place, index) in events.enumerated() {
      let event = nodes[index].event
      let isLast = place == events.count - 1 && !isOpen
      var parts = ["\(event.position)"] + times.column(event.time)
      parts += event.names + ["\(event.stream) \(event.version)"]
      if let actor = event.metadata.author { parts.append(actor) }
      lines.append(indent + (isLast ? "└─ " : "├─ ") + Text.safe(parts.joined(separator: "  ")))
      let deeper = indent + (isLast ? "   " : "│  ")
      if let batch = changes[event.position] {
        if batch.isEmpty {
          lines.append(deeper + "   " + Text.safe("changes nothing in \(list)"))
        } else {
          lines += text.batch(batch, from: batch.from).dropFirst().map { deeper + " " + $0 }
        }
      }
      add(nodes[index].children, deeper, &lines, times, changes, list, text)
    }
  }

  /// The events in the order of the log, with the positions of the events that caused them.
  var events: [(event: EventCause, parent: Position?)] {
    var parents: [Int: Position] = [:]
    for node in nodes { for child in node.children { parents[child] = node.event.position } }
    return nodes.enumerated().map { ($1.event, parents[$0]) }
  }
}

/// An event of a tree.
let treeEventForm = JSONForm<(event: EventCause, parent: Position?, changes: (list: String, batch: BatchOutput)?)>([
  "event": .of { $0.event }, "parent": .of({ $0.parent }, "The event that caused it."),
  "list": .some { $0.changes?.list }, "batch": .some { $0.changes?.batch },
])
