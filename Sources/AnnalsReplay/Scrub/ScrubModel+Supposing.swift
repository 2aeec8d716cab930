import Annals

extension ScrubModel {
  /// The left-out events in the form of `--without`.
  private static func without(_ setting: ScrubSetting?, _ facts: ScrubFacts) -> [String] {
    setting?.without ?? facts.options.filter { $0.name == "--without" }.map(\.value)
  }

  /// Leaves the selected event out, or restores it.
  mutating func leaveOut() -> [ScrubRequest] {
    guard let event = chosenEvent, let shown else { return say("no event is shown", []) }
    let (position, without) = ("\(event.position)", Self.without(shown.setting, facts))
    if !shown.hidden.contains(event.position) { return [suppose(without + [position])] }
    let rest = without.filter { $0 != position }
    if rest.count < without.count { return [suppose(rest)] }
    return say("\(position) is left out by \(QuotedWords.join(without)); w changes that", [])
  }

  /// Shows the list as if events were not in the log.
  func suppose(_ without: [String]) -> ScrubRequest {
    ScrubRequest("reading the list…") { [facts] engine in
      var setting = engine.setting
      setting.without = without
      let shown = try engine.open(setting, at: engine.position, keepsBatch: true)
      return .moved(shown, note: Self.supposedWords(shown, facts))
    }
  }

  /// The left-out events, and the number of events that could not apply without them, in a line.
  private static func supposedWords(_ shown: ScrubPosition, _ facts: ScrubFacts) -> String {
    let without = without(shown.setting, facts)
    if without.isEmpty { return "the list as the log has it" }
    let head = "without \(QuotedWords.join(without))"
    if shown.list == nil { return head }
    if shown.refusedCount == 0 { return head + ": everything else applies up to here" }
    return head + ": \(Text.counted(shown.refusedCount, "event")) could not apply up to here; W lists them"
  }

  /// The range of a page: the compared one, or from the last mark to here, or the whole log.
  var pageRange: (from: Position, to: Position) {
    guard let other = shown?.since ?? marks.last, other != position else { return (0, shown?.end ?? 0) }
    return (min(other, position), max(other, position))
  }

  /// The file of a page without a name.
  func pageName(_ from: Position, _ to: Position) -> String {
    var name = facts.name
    if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
    return "\(name)-\(from)-\(to).html"
  }
}
