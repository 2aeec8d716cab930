import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  /// The forms of the value of `--without`, for help and errors.
  static let withoutForms =
    "positions (6 or 6,9), A..B, tx:LABEL, cmd:ID, id:EVENT or a choice of events such as 'type:Book* author:ann'"

  /// The option of a list without some events.
  static let without = Option(
    "--without", "WHAT", repeats: true,
    "Suppose that events were not there: \(withoutForms). Events that cannot be folded without them are left out and "
      + "counted. Nothing is written."
  ).documented(in: .whatIf)

  /// The option of a list with other events.
  static let instead = Option(
    "--instead", "PLACE=JSON", repeats: true,
    "Suppose another payload of the event at a place, as in '21={\"to\":5}'. Only show, diff and scrub take it."
  ).documented(in: .whatIf)
}

extension Session {
  /// The options of the command line that choose the list and leave out or replace events.
  var listWords: [(name: String, value: String)] {
    (Subcommand.list + [Subcommand.instead]).flatMap { option in arguments.all(option.name).map { (option.name, $0) } }
  }

  /// The log as the options suppose it; nil if they suppose nothing.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - waits: True if events may still come that the options mean: then it is no error that there are none.
  ///   - without: What `--without` says; nil for what the options say.
  /// - Returns: What is supposed, with the log as it is supposed to be.
  /// - Throws: ``ReplayError`` for options that cannot be read, or that mean no event.
  func supposition(_ log: LogExtent, waits: Bool = false, without: [String]? = nil) throws -> Supposition? {
    let without = without ?? arguments.all("--without")
    guard !without.isEmpty || arguments.has("--instead") else { return nil }
    var (ranges, choices) = ([] as [ClosedRange<Int>], [] as [EventFilter])
    for text in without {
      if let positions = try positions(text, in: log) {
        ranges += positions
        continue
      }
      let filter = try EventFilter(EventChoice(text), self, log)
      let count = ranges.count
      try EventSearch(log, filter, after: 0, through: log.end).forwards(self) { event in
        let position = event.position.rawValue
        if ranges.count > count, let last = ranges.last, last.upperBound + 1 == position {
          ranges[ranges.count - 1] = last.lowerBound...position
        } else {
          ranges.append(position...position)
        }
      }
      if ranges.count == count, !waits {
        try filter.checkNames(in: log, self)
        throw ReplayError(.negative, "--without: no event of the log is \(text)")
      }
      choices.append(filter)
    }
    var payloads: [Int: String] = [:]
    for text in arguments.all("--instead") {
      let (position, payload) = try payload(text, in: log)
      guard payloads.updateValue(payload, forKey: position.rawValue) == nil else {
        throw ReplayError.usage("--instead: the event at \(position) is given two payloads")
      }
    }
    let events = AlteredEvents(ranges, payloads: payloads, choices: choices, known: log.end)
    if let both = payloads.keys.sorted().first(where: { events.hides($0) }) {
      throw ReplayError.usage("the event at \(both) cannot be left out and have another payload")
    }
    return Supposition(
      without: without,
      instead: payloads.sorted { $0.key < $1.key }.map { (Position($0.key), $0.value) },
      first: events.first ?? Position(log.end.rawValue + 1),
      altered: events.hidden + payloads.keys.sorted().map { $0...$0 }, store: AlteredStore(log.store, events))
  }

  /// The positions that a text of `--without` names, or nil if the text is a choice of events.
  private func positions(_ text: String, in log: LogExtent) throws -> [ClosedRange<Int>]? {
    let name = "--without"
    if text.hasPrefix("tx:") {
      let end = try place(text, of: name, in: log, isState: false)
      return [try log.startOfTransaction(at: end).rawValue...end.rawValue]
    }
    if text.hasPrefix("cmd:") {
      let id = String(text.dropFirst(4))
      guard let receipt = try log.store.receipt(ofCommand: id) else {
        throw ReplayError(.negative, "\(name): the log has no command with the id \(JSONValue.quoted(id))")
      }
      guard let events = receipt.events else {
        throw ReplayError(.negative, "\(name): the command \(id) appended no events")
      }
      return [events.lowerBound.rawValue...events.upperBound.rawValue]
    }
    if text.hasPrefix("id:") { return [try event(text, of: name, in: log)].map { $0...$0 } }
    let isChoice = EventChoice.keys.contains { text.contains("\($0):") } || text.contains(" ")
    if isChoice { return nil }
    if let dots = text.firstRange(of: "..") {
      let from = try event(String(text[..<dots.lowerBound]), of: name, in: log, isThere: false)
      let to = try event(String(text[dots.upperBound...]), of: name, in: log, isThere: false)
      if from > to { throw ReplayError.usage("\(name) \(text): \(from) is after \(to)") }
      return [from...to]
    }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let position = try event(String(part), of: name, in: log)
      return position...position
    }
  }

  /// The position of an event that a text names.
  private func event(
    _ text: String, of name: String, in log: LogExtent, isThere: Bool = true
  ) throws -> Int {
    let forms = name == "--without" ? Subcommand.withoutForms : Place.forms
    guard let place = try? Place(text, now: console.now(), zone: console.zone, of: name) else {
      if name == "--without", let meaning = try meaning(of: text, in: log) {
        throw ReplayError.usage("\(name): \(meaning)")
      }
      throw ReplayError.usage("\(name): expected \(forms), found \"\(text)\"")
    }
    if case .time = place { throw ReplayError.usage("\(name): expected \(forms), found \"\(text)\"") }
    let position = try self.place(text, of: name, in: log, isState: false)
    guard position > 0 else { throw ReplayError.usage("\(name): expected a position from 1 to \(log.end), found 0") }
    if isThere, try log.event(exactlyAt: position) == nil {
      throw ReplayError.usage(
        "\(name) \(text): there is no event at \(position) any more, a compaction cut it; `\(tool) log` lists those "
          + "that are left")
    }
    return position.rawValue
  }

  /// The position and the payload that a text of `--instead` names.
  private func payload(_ text: String, in log: LogExtent) throws -> (Position, String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ReplayError.usage("--instead: expected PLACE=JSON, as in '21={\"to\":5}', found \"\(text)\"")
    }
    let (place, json) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
    do {
      try JSON.check(json)
    } catch {
      throw ReplayError.usage("--instead \(place): expected JSON, found \"\(json)\": \(error)")
    }
    // A line's end is as good as a space between the words of JSON, and stands nowhere else in it.
    // By scalars: together the two ends are one character.
    let line = String(String.UnicodeScalarView(json.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    return (Position(try event(place, of: "--instead", in: log)), line)
  }
}
