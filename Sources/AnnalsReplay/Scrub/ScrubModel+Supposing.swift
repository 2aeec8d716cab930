import Annals

extension ScrubModel {
  /// What is left out, as `--without` takes it.
  var without: [String] {
    heading?.setting.without ?? facts.options.filter { $0.name == "--without" }.map(\.value)
  }

  /// Leaves the chosen event out, or has it back.
  mutating func leaveOut() -> [ScrubRequest] {
    guard let event = chosenEvent, let moment else { return say("no event is shown", []) }
    let position = "\(event.position)"
    guard moment.hidden.contains(event.position) else { return [.suppose(without + [position])] }
    let rest = without.filter { $0 != position }
    if rest.count == without.count {
      return say("\(position) is left out by \(QuotedWords.join(without)); w changes that", [])
    }
    return [.suppose(rest)]
  }

  /// What the list supposes now, in a line.
  func supposedWords(_ moment: ScrubMoment) -> String {
    if without.isEmpty { return "the list as the log has it" }
    let head = "without \(QuotedWords.join(without))"
    if moment.refusedCount == 0 { return head + ": everything else applies up to here" }
    return head + ": \(Text.counted(moment.refusedCount, "event")) could not apply up to here; W lists them"
  }

  /// The range that a page is made of: what you compare, or from the last mark to here, or all.
  var pageRange: (from: Position, to: Position) {
    guard let other = moment?.since ?? marks.last, other != position else { return (0, moment?.end ?? 0) }
    return (min(other, position), max(other, position))
  }

  /// The file that a page goes into if you name none.
  func pageName(_ from: Position, _ to: Position) -> String {
    var name = facts.log.split(separator: "/").last.map(String.init) ?? "log"
    if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
    return "\(name)-\(from)-\(to).html"
  }
}
