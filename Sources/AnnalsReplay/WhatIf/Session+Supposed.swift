import Annals

extension Session {
  /// Says what a list supposes, and which events could not be folded under it; nothing of a list as the log has it.
  func tellOfSupposition(_ reader: any ListReader, in log: LogExtent, through end: Position) throws {
    guard let supposition = reader.supposition else { return }
    say(Text.safe("\(supposition.words): the log isn't changed. Later commands could have had other results"))
    try tellOfDropped(supposition, in: log)
    for sentence in try refusals(under: supposition, in: log, through: end) { say(Text.safe(sentence)) }
  }

  /// Prints the first ten events that could not be folded, if there are more than when they were last printed.
  func tellOfDropped(_ supposition: Supposition, in log: LogExtent) throws {
    guard supposition.hasNews() else { return }
    let dropped = supposition.dropped(through: Position(Int.max))
    let it =
      supposition.instead.isEmpty
      ? supposition.without.count == 1 && Int(supposition.without[0]) != nil ? "without it" : "without them"
      : "then"
    say("\(Text.counted(dropped.count, "event")) could not apply \(it):")
    for event in dropped.prefix(10) { say(Text.safe("  \(try name(event, in: log)): \(event.reason)")) }
    if dropped.count > 10 { say("  and \(dropped.count - 10) more, which --json prints") }
  }

  /// The position, the type and the row of an event, as far as its payload says one.
  func name(_ dropped: Supposition.Dropped, in log: LogExtent) throws -> String {
    guard let event = try log.event(exactlyAt: dropped.position) else { return "\(dropped.position)" }
    let id = event.payload.flatMap { try? JSONValue(parsing: $0) }?["id"]
    switch id {
    case .string(let text)?: return "\(event.position) \(event.type) \(text)"
    case .number?: return "\(event.position) \(event.type) \(id?.text ?? "")"
    default: return "\(event.position) \(event.type)"
    }
  }
}
