/// A search for events whose times don't fit the events around them, for example because of a wrong clock or an import.
///
/// Add the stamps of a log in the order of their positions.
package struct TimeOutliers {
  /// An event whose time is later than the clock's time, or later than the times of the events that follow it.
  package struct Outlier: Hashable, Sendable {
    package let position: Int
    /// The time in microseconds since 1970.
    package let time: Int64
    /// True if the time is later than the clock's time.
    package let isToCome: Bool
    /// The number of following events with an earlier time, up to the first event whose time isn't earlier.
    package fileprivate(set) var earlier: Int
  }

  /// The first outliers, at most ``most``.
  package private(set) var found: [Outlier] = []
  /// The number of outliers.
  package private(set) var count = 0
  private let now: Int64
  /// The event with the latest time that isn't after the clock, and the time of the next event.
  private var last: (event: Outlier, next: Int64?)?

  /// The maximum number of outliers to keep.
  package static let most = 10
  /// The minimum number of following events with an earlier time, and the minimum time difference, for a report.
  ///
  /// The clocks of devices differ by less than this time.
  private static let least = (events: 3, microseconds: 86_400_000_000 as Int64)

  /// The number of microseconds by which a time can be after the clock without a report, because device clocks differ.
  private static let tolerance: Int64 = 60_000_000

  /// Returns whether the later time is after the earlier time by more than a number of microseconds.
  private static func isMuch(from earlier: Int64, to later: Int64, _ microseconds: Int64) -> Bool {
    let (difference, isHuge) = later.subtractingReportingOverflow(earlier)
    return isHuge || difference > microseconds
  }

  /// Creates a search without events.
  ///
  /// - Parameter now: The reader's clock, in microseconds since 1970.
  package init(now: Int64) { self.now = now }

  /// Adds the next event.
  package mutating func add(_ stamp: EventStamp) {
    let event = Outlier(position: stamp.position, time: stamp.time, isToCome: stamp.time > now, earlier: 0)
    if event.isToCome {
      if Self.isMuch(from: now, to: stamp.time, Self.tolerance) { keep(event) }
      return
    }
    guard var last, stamp.time < last.event.time else {
      closeLast()
      last = (event, nil)
      return
    }
    last.event.earlier += 1
    last.next = last.next ?? stamp.time
    self.last = last
  }

  /// Finishes the search at the log's end.
  ///
  /// The event with the latest time is also reported, if the last events have earlier times.
  package mutating func end() {
    closeLast()
    last = nil
    found.sort { $0.position < $1.position }
  }

  private mutating func closeLast() {
    guard let last, let next = last.next, last.event.earlier >= Self.least.events,
      Self.isMuch(from: next, to: last.event.time, Self.least.microseconds)
    else { return }
    keep(last.event)
  }

  private mutating func keep(_ outlier: Outlier) {
    count += 1
    if found.count < Self.most { found.append(outlier) }
  }
}
