import Annals
import AnnalsLog
import Foundation

extension Session {
  /// Prints once which events have times that make the log's times hard to use.
  func tellOfTimes(in log: LogExtent) throws {
    guard console.times.isNew() else { return }
    for line in try log.timeOutliers(now: console.now()).messages(tool: tool, times) { say(line) }
  }
}

extension LogExtent {
  /// Calls a closure with the places and times of events, in order, without reading payloads where the store can do so.
  func forEachStamp(after: Position = 0, through: Position, _ body: (EventStamp) throws -> Void) throws {
    var last = after.rawValue
    while last < through.rawValue {
      let limit = 8_192
      let stamps = try store.index.stamps(after: last, through: through.rawValue, limit: limit)
      guard let end = stamps.last else { return }
      try stamps.forEach(body)
      last = end.position
    }
  }

  /// The events whose times do not fit the reader's clock, or the events after them.
  func timeOutliers(now: Date) throws -> TimeOutliers {
    var outliers = TimeOutliers(now: now.microseconds)
    try forEachStamp(through: end) { outliers.add($0) }
    outliers.end()
    return outliers
  }
}

extension TimeOutliers.Outlier {
  /// A sentence about the event, with the way around.
  func message(tool: String, _ times: TimeStyle) -> String {
    let text = times.text(self.time)
    let time = text.isEmpty ? "a time" : "the time \(text)"
    if isToCome {
      return "event \(position) has \(time), which is later than the clock: a clock was wrong, this one or "
        + "the one that wrote it. A place by time takes the time of the next event instead; to go there, name the "
        + "position, as in `\(tool) show LOG \(position)`"
    }
    return "event \(position) has \(time), and \(Text.counted(earlier, "event")) after it are earlier: a "
      + "clock was wrong, or an import brought its own times. A place by time between the two is before "
      + "event \(position); to go to an event after it, name its position, as in `\(tool) show LOG "
      + "\(position + earlier)`"
  }
}

extension TimeOutliers {
  /// The sentences about the first events, and the number of other events that were found.
  func messages(tool: String, _ times: TimeStyle) -> [String] {
    let shown = found.prefix(3)
    let lines = shown.map { $0.message(tool: tool, times) }
    let rest = count - shown.count
    return rest > 0 ? lines + ["\(Text.counted(rest, "other event")) with such times"] : lines
  }
}

extension TimeOutliers: JSONObject {
  static let form = Form([
    "count": .of(\.count),
    // The first of them.
    "events": .array(
      \.found,
      JSONForm([
        "position": .of { Position($0.position) }, "time": .of { Microseconds(count: $0.time) },
        "later": .of { $0.isToCome ? "clock" : "events" }.among(["clock", "events"]),
      ])),
  ])
}
