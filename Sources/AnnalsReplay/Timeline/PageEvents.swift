import Annals

/// The events that a page names, the oldest first.
///
/// An event is `[position,time,type,stream,version,actor,command,correlation,causation,headline,payload]`. Positions
/// and times count from those of the event before, words are numbers in the page's list of them, -1 for none, and what
/// would be -1 at the end is left out. The headline is a sentence of the metadata, such as a commit's message.
struct PageEvents {
  private let mask: Redaction
  private let commands: CommandNames
  private let hasPayloads: Bool
  private(set) var words = PageWords()
  private(set) var json = ""
  private(set) var count = 0
  private var last: (position: Int, time: Int64) = (0, 0)

  /// - Parameters:
  ///   - mask: The values to hide.
  ///   - commands: Names the commands of events.
  ///   - hasPayloads: False if what the events say is left out.
  init(_ mask: Redaction, _ commands: CommandNames, hasPayloads: Bool) {
    self.mask = mask
    self.commands = commands
    self.hasPayloads = hasPayloads
  }

  /// About how many bytes the events take.
  var size: Int { json.utf8.count }

  mutating func add(_ event: StoredEvent) throws {
    let cause = EventCause(event)
    let command = try commands.command(of: cause)
    let causation = event.metadata.causation.flatMap { $0 == command ? nil : $0 }
    // Other names may repeat the id of a row: streams are often called by it.
    let hidesIDs = mask.hidesIDs
    let isTold = hasPayloads && !hidesIDs && !mask.hides(payloadsOf: event.type)
    // A sentence may repeat values as a payload does.
    let headline = isTold ? event.metadata.headline : nil
    var parts = [
      event.position.rawValue - last.position, Int(cause.time &- last.time),
      word(event.type, "type"), hidesIDs ? -1 : word(event.stream.text, "stream"), event.version,
      word(event.metadata.author, "actor"), hidesIDs ? -1 : word(command, "command"),
      hidesIDs ? -1 : word(event.metadata.correlation, "correlation"), hidesIDs ? -1 : word(causation, "causation"),
      headline.map { word($0.text, $0.name) } ?? -1,
    ].map { "\($0)" }
    if isTold, let payload = event.payload.flatMap(mask.payload) {
      parts.append(PageJSON.quoted(payload))
    } else {
      while parts.last == "-1" { parts.removeLast() }
    }
    last = (event.position.rawValue, cause.time)
    json += (count == 0 ? "" : ",") + PageJSON.list(parts)
    count += 1
  }

  private mutating func word(_ text: String?, _ field: String) -> Int {
    guard let text, !mask.hides(field) else { return -1 }
    return words.number(text)
  }
}
