import Annals
import AnnalsLog

/// Goes through two logs side by side, up to the first place where their events are not the same.
///
/// Where a compaction cut events, those that are left are compared, one after the other.
struct LogComparison {
  /// Where two logs part.
  struct Parting {
    /// The position in the first log up to which the logs are equal.
    var equal: Position = 0
    /// The first event that differs, in each log; nil where the log ends.
    var events: [StoredEvent?] = []
    /// False if the logs were written apart, so that only types, schemas and payloads were compared.
    var hasIDs = true
    /// True if both logs were read to their ends.
    var isWhole: Bool { events.isEmpty }
  }

  private let logs: [LogExtent]
  private let ends: [Position]

  init(_ first: LogExtent, through end: Position, _ second: LogExtent, through end2: Position) {
    (logs, ends) = ([first, second], [end, end2])
  }

  /// Finds where the logs part.
  ///
  /// Two events are the same if their types, schemas, streams and payloads are, and their identities. If already the
  /// first events have other identities, the logs were written apart, and identities are left out.
  ///
  /// - Complexity: O(n) for n events that are the same.
  func parting(_ progress: Progress) throws -> Parting {
    defer { progress.end() }
    var parting = Parting()
    var pages = [LogPages(logs[0].store, ends[0]), LogPages(logs[1].store, ends[1])]
    var isFirst = true
    while true {
      let pair = [try pages[0].next(), try pages[1].next()]
      guard let one = pair[0], let other = pair[1] else {
        parting.events = pair[0] == nil && pair[1] == nil ? [] : pair
        return parting
      }
      if isFirst { parting.hasIDs = one.id == other.id }
      isFirst = false
      guard Self.isSame(one, other), !parting.hasIDs || one.id == other.id else {
        parting.events = pair
        return parting
      }
      parting.equal = one.position
      progress.step(one.position.rawValue, of: ends[0].rawValue, "events")
    }
  }

  private static func isSame(_ one: StoredEvent, _ other: StoredEvent) -> Bool {
    func isEqual(_ text: String?, _ other: String?) -> Bool {
      switch (text, other) {
      case (nil, nil): true
      case (let text?, let other?): ExactString(text) == ExactString(other)
      default: false
      }
    }
    return isEqual(one.type, other.type) && one.schema == other.schema && one.stream == other.stream
      && isEqual(one.payload, other.payload)
  }
}

/// The events of a log, page by page.
private struct LogPages {
  private let store: any EventStore
  private let end: Position
  private var last: Position = 0
  private var page: ArraySlice<StoredEvent> = []

  init(_ store: any EventStore, _ end: Position) {
    self.store = store
    self.end = end
  }

  mutating func next() throws -> StoredEvent? {
    if page.isEmpty, last < end {
      page = try store.batch(after: last, through: end, limit: 512).events[...]
      last = page.last?.position ?? end
    }
    return page.popFirst()
  }
}

extension LogComparison.Parting {
  /// Where the logs part, in words.
  func sentences(_ paths: [String], _ times: TimeStyle) -> [String] {
    let apart = hasIDs ? [] : ["the logs were written apart: ids are not compared"]
    if isWhole { return apart + ["the logs are equal up to \(equal)"] }
    var lines = [equal > 0 ? "the logs are equal up to \(equal)" : "the logs differ from their first event on"]
    let payloads = Self.excerpts(events.map { $0?.payload ?? "" })
    func differs(_ value: (StoredEvent) -> some CustomStringConvertible) -> Bool {
      Set(events.compactMap { $0.map { value($0).description } }).count > 1
    }
    for (index, path) in paths.prefix(2).enumerated() {
      guard let event = events[index] else {
        lines.append("  \(path) ends there")
        continue
      }
      var parts = [path, "\(event.position)"] + times.column(event.time.microseconds) + [event.type]
      if let actor = event.metadata.author { parts.append(actor) }
      if differs(\.stream) { parts.append("stream \(event.stream)") }
      if differs(\.schema) { parts.append("schema \(event.schema)") }
      if hasIDs, differs(\.id.id) { parts.append("id \(event.id.id)") }
      parts.append(payloads[index])
      lines.append("  " + parts.joined(separator: "  "))
    }
    return apart + lines
  }

  /// Parts of two payloads that contain the first difference.
  private static func excerpts(_ payloads: [String]) -> [String] {
    let same = zip(payloads[0], payloads[1]).prefix { $0 == $1 }.count
    return payloads.map { payload in
      let start = payload.count > 60 && same > 40 ? same - 20 : 0
      return (start > 0 ? "…" : "") + String(payload.dropFirst(start)).shortened(to: 60)
    }
  }
}
