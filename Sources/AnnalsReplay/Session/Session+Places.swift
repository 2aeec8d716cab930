import Annals
import AnnalsLog
import Foundation

/// A log as places are looked up in it: its end, and how much of its history is there.
struct LogExtent {
  let store: any EventStore
  let end: Position
  let compacted: CompactedHistory

  init(_ store: any EventStore) throws {
    self.store = store
    (compacted, end) = try store.read { (try $0.revision().compacted, try $0.head()) }
  }
}

extension Session {
  /// Returns the position that an option names.
  ///
  /// - Parameters:
  ///   - name: The option.
  ///   - log: The log.
  ///   - isState: True if a list is shown at the position, which a compaction may have made impossible.
  /// - Returns: The position, or nil if the option is not given.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func place(_ name: String, in log: LogExtent, isState: Bool = true) throws -> Position? {
    guard let text = arguments.value(name) else { return nil }
    return try place(text, of: name, in: log, isState: isState)
  }

  /// Returns the position that a text names, and prints it on standard error unless the text is the position.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: The operand or the option, for messages.
  ///   - log: The log.
  ///   - isState: True if a list is shown at the position.
  ///   - isBeginning: True if the place begins a range.
  ///   - isSilent: True to print no position.
  /// - Returns: The position. For a time at the beginning of a range, the last position before the range.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func place(
    _ text: String, of name: String, in log: LogExtent, isState: Bool = true, isBeginning: Bool = false,
    isSilent: Bool = false
  ) throws -> Position {
    let place = try Place(text, now: console.now(), zone: console.zone, of: name, isBeginning: isBeginning)
    let position = try resolve(place, text, of: name, in: log)
    if case .position = place {} else if !isSilent { try say(position, for: text, of: name, in: log) }
    guard !isState || log.compacted.shows(position) else {
      throw ReplayError.usage(
        "\(name) \(text) cannot be shown: the history before position \(log.compacted.horizon) was compacted; 0 can, "
          + "and positions from \(log.compacted.horizon) on")
    }
    return position
  }

  /// Returns the position that the operands after some first ones name, as in `show LOG yesterday 15:00`.
  ///
  /// - Parameters:
  ///   - count: The number of the first operands.
  ///   - log: The log.
  /// - Returns: The position, by default the last one.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func placeOperand(after count: Int = 1, in log: LogExtent) throws -> Position {
    guard arguments.operands.count > count else { return log.end }
    return try place(arguments.operands.dropFirst(count).joined(separator: " "), of: "PLACE", in: log)
  }

  /// Reads the operands after some first ones: a range or none, and a choice of events.
  ///
  /// The range is the longest beginning that can be a range, so that `log LOG 2 days ago` needs no quotes. A range with
  /// ".." can also be the last word. A day or a month alone is the range of its events.
  func rangeAndChoice(after count: Int = 1) throws -> (range: PlaceRange?, choice: EventChoice) {
    let words = Array(arguments.operands.dropFirst(count))
    for length in stride(from: words.count, to: 0, by: -1) {
      if var range = range(words.prefix(length).joined(separator: " ")) {
        let rest = words.dropFirst(length).joined(separator: " ")
        if let from = range.from, range.isSingle, self.range(rest)?.isSingle ?? false {
          throw ReplayError.usage("between two places write \(from)..\(rest)")
        }
        if range.isSingle, let text = range.from, isPeriod(text) { (range.to, range.isSingle) = (text, false) }
        return (range, try EventChoice(rest))
      }
    }
    for part in (words.first ?? "").replacing("..", with: " ").split(separator: " ") {
      if let sentence = TimeWords.missingDay(in: String(part)) { throw ReplayError.usage("A..B: \(sentence)") }
    }
    if let last = words.last, last.contains(".."), let range = range(last) {
      return (range, try EventChoice(words.dropLast().joined(separator: " ")))
    }
    return (nil, try EventChoice(words.joined(separator: " ")))
  }

  /// The range that a text names, or nil if it names none.
  private func range(_ text: String) -> PlaceRange? {
    PlaceRange(text) { (try? Place($0, now: console.now(), zone: console.zone, of: "")) != nil }
  }

  /// True if a text names a day or a month, which is a range of its own.
  private func isPeriod(_ text: String) -> Bool {
    func time(isBeginning: Bool) -> Date? {
      TimeWords(now: console.now(), zone: console.zone, isBeginning: isBeginning).date(of: text)
    }
    return time(isBeginning: true) != time(isBeginning: false)
  }

  /// Reads the operands after some first ones, of which all must be a range.
  func onlyRange(after count: Int = 1) throws -> PlaceRange? {
    let (range, choice) = try rangeAndChoice(after: count)
    if !choice.isEmpty {
      let words = arguments.operands.dropFirst(count).joined(separator: " ")
      throw ReplayError.usage("expected \(PlaceRange.forms), found \"\(words)\"")
    }
    return range
  }

  /// Returns the positions of the lists between which a range goes, by default 0 and the log's last position.
  ///
  /// A place is the list after its last event, except that a time at the beginning is the list before that time.
  func states(of range: PlaceRange?, in log: LogExtent) throws -> (from: Position, to: Position) {
    let isPeriod = range?.from == range?.to
    let from =
      try range?.from.map {
        try place($0, of: range?.nameOfFrom ?? "A", in: log, isBeginning: true, isSilent: isPeriod)
      } ?? 0
    return (from, try range?.to.map { try place($0, of: "B", in: log) } ?? log.end)
  }

  /// Returns the first and the last position of a range of events.
  ///
  /// A transaction or a command at the beginning is its first event. Without a range, all events are in it.
  func events(of range: PlaceRange?, in log: LogExtent) throws -> (from: Position, to: Position) {
    let to = try range?.to.map { try place($0, of: "B", in: log, isState: false) } ?? log.end
    guard let range, let text = range.from else { return (1, to) }
    let position = try place(
      text, of: range.nameOfFrom, in: log, isState: false, isBeginning: true, isSilent: text == range.to)
    return switch try Place(text, now: console.now(), zone: console.zone, of: "A") {
    case .time: (Position(position.rawValue + 1), to)
    case .transaction: (try log.startOfTransaction(at: position), to)
    case .command(let id): (try log.store.receipt(ofCommand: id)?.events?.lowerBound ?? position, to)
    case .position, .fromEnd, .event: (max(1, position), to)
    }
  }

  private func resolve(_ place: Place, _ text: String, of name: String, in log: LogExtent) throws -> Position {
    switch place {
    case .position(let number):
      guard number <= log.end.rawValue else {
        throw ReplayError.usage("\(name) \(text) is past the end: the log's last position is \(log.end)")
      }
      return Position(number)
    case .fromEnd(let count):
      guard count <= log.end.rawValue else {
        throw ReplayError.usage(
          "\(name): expected -\(log.end) or less far from the end, found \"\(text)\": the log's last position is "
            + "\(log.end)")
      }
      return Position(log.end.rawValue - count)
    case .time(let time):
      try tellOfTimes(in: log)
      // The store may have another clock.
      return time < console.now() ? try log.position(at: time) : log.end
    case .transaction(let label):
      guard let found = try log.end(ofTransaction: label, name) else {
        let meaning = try meaning(of: label, in: log).map { ". \($0)" } ?? ""
        throw ReplayError(
          .negative, "\(name): the log has no transaction with the label \(JSONValue.quoted(label))\(meaning)")
      }
      return found
    case .event(let id):
      guard let found = try log.position(ofEvent: id) else {
        throw ReplayError(.negative, "\(name): the log has no event with the id \(JSONValue.quoted(id))")
      }
      return found
    case .command(let id):
      guard let receipt = try log.store.receipt(ofCommand: id) else {
        throw ReplayError(.negative, "\(name): the log has no command with the id \(JSONValue.quoted(id))")
      }
      return receipt.position
    }
  }

  /// A sentence with the choice that a word probably means, for example `"sync" is a correlation: correlation:sync`.
  ///
  /// - Complexity: O(n) in the number of events, so this is for errors.
  func meaning(of word: String, in log: LogExtent) throws -> String? {
    let quoted = JSONValue.quoted(word)
    if word.isEmpty || word.hasPrefix("!") { return nil }
    for key in EventChoice.keys where key != "grep" {
      let filter = try EventFilter(EventChoice("\(key):\(quoted)"), self, log)
      var isFound = false
      try EventSearch(log, filter, after: 0, through: log.end).forwards(limit: 1, self) { _ in isFound = true }
      if isFound { return "\(quoted) is \(key == "author" ? "an" : "a") \(key): \(key):\(word)" }
    }
    return nil
  }

  /// Says which position a text was taken for.
  private func say(_ position: Position, for text: String, of name: String, in log: LogExtent) throws {
    let time =
      try log.event(exactlyAt: position).map { ", " + TimeStyle(.local(console.zone)).text($0.time.microseconds) } ?? ""
    say(Text.safe("\(name.hasPrefix("-") ? "\(name) " : "")\(text): position \(position)\(time)"))
  }
}

extension Position {
  /// The position before this one, which is not 0.
  var before: Position { Position(max(0, rawValue - 1)) }
}

extension Session {
  /// Says that a position is inside a transaction: a list of half a transaction is one that no app has shown.
  func tellOfHalf(_ position: Position, in log: LogExtent) throws {
    let end = try log.endOfTransaction(at: position)
    guard position > 0, end > position else { return }
    let start = try log.startOfTransaction(at: position)
    say("position \(position) is inside a transaction, of the events \(start) to \(end): no app has shown this list")
  }
}

extension LogExtent {
  /// The position up to which the log was known at a time, in the log as it was opened.
  func position(at time: Date) throws -> Position { min(try store.position(at: time), end) }

  /// The end of the transaction with a label, or with the one label that begins so.
  func end(ofTransaction label: String, _ name: String) throws -> Position? {
    if let found = try store.index.ranges(ofTransactionLabel: label).last { return found.upperBound }
    let near = try store.index.ranges(ofTransactionLabel: label, isBeginning: true)
    if near.count > 1 {
      throw ReplayError.usage(
        "\(name): \(near.count) transactions have labels that begin with \(label); say more of it")
    }
    return near.first?.upperBound
  }

  /// The position of an event: of this log's own id, or of an id with its source before it and a space between.
  func position(ofEvent id: String) throws -> Position? {
    if let found = try store.position(of: EventID(source: store.source, id: id)) { return found }
    if let space = id.firstIndex(of: " "),
      let found = try store.position(
        of: EventID(source: String(id[..<space]), id: String(id[id.index(after: space)...])))
    {
      return found
    }
    return try store.index.position(ofEventID: id)
  }
}

extension LogExtent {
  /// The event at a position; nil if there is none, or if a compaction cut it.
  func event(exactlyAt position: Position) throws -> StoredEvent? {
    try store.event(at: position)
  }

  /// The event at a position, or the last one before it.
  func event(at position: Position) throws -> StoredEvent? {
    position == 0 ? nil : try store.eventsBackwards(.all, after: 0, through: position, limit: 1).first
  }

  /// The last position of the transaction of the event at a position.
  func endOfTransaction(at position: Position) throws -> Position {
    try event(exactlyAt: position).map { try store.index.transaction(of: $0).upperBound } ?? position
  }

  /// The first position of the transaction of the event at a position, or of the last event before it.
  func startOfTransaction(at position: Position) throws -> Position {
    try event(at: position).map { try store.index.transaction(of: $0).lowerBound } ?? position
  }
}
