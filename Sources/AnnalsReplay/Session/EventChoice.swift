import Annals
import AnnalsLog

/// Events that `--without` names by what they say, also those that are appended later.
enum EventChoice: Sendable {
  case type(Glob)
  case author(Glob)
  case correlation(String)

  /// What `--without` takes, as help and errors list it.
  static let forms =
    "positions (6 or 6,9), A..B, tx:LABEL, cmd:ID, id:EVENT, correlation:ID, type:PATTERN or author:PATTERN"

  /// Reads a choice; nil if the text names positions, in whatever way.
  init?(_ text: String) {
    func rest(_ prefix: String) -> String? {
      text.hasPrefix(prefix) && text.count > prefix.count ? String(text.dropFirst(prefix.count)) : nil
    }
    if let name = rest("type:") {
      self = .type(Glob(name))
    } else if let name = rest("author:") {
      self = .author(Glob(name))
    } else if let id = rest("correlation:") {
      self = .correlation(id)
    } else {
      return nil
    }
  }

  /// True if it means an event.
  func matches(_ event: StoredEvent) -> Bool {
    switch self {
    case .type(let glob): glob.matches(event.type)
    case .author(let glob): event.metadata.author.map { glob.matches($0) } ?? false
    case .correlation(let id): event.metadata.correlation.map { ExactString($0) == ExactString(id) } ?? false
    }
  }

  /// What it is called in messages.
  var words: String {
    switch self {
    case .type(let glob): "event of the type \(glob.text)"
    case .author(let glob): "event of the author \(glob.text)"
    case .correlation(let id): "event of the correlation \(id)"
    }
  }

  /// The positions of the events that it means.
  ///
  /// - Complexity: O(m log n) for m events of the types; O(n) for an author or a correlation in a log of n.
  func positions(in log: LogExtent) throws -> [ClosedRange<Int>] {
    var (ranges, query) = ([] as [ClosedRange<Int>], EventQuery.all)
    if case .type(let glob) = self {
      let types = try log.types().filter { glob.matches($0) }
      if types.isEmpty { return [] }
      query = .types(types)
    }
    try log.store.forEachEvent(query, through: log.end) { event in
      guard matches(event) else { return }
      let position = event.position.rawValue
      if let last = ranges.last, last.upperBound + 1 == position {
        ranges[ranges.count - 1] = last.lowerBound...position
      } else {
        ranges.append(position...position)
      }
    }
    return ranges
  }

  /// The name that was perhaps meant, of those that the log has; nil if none is near, or no names are known.
  func nearest(in log: LogExtent) throws -> String? {
    guard case .type(let glob) = self, glob.isExact else { return nil }
    return Nearest.name(to: glob.text, among: try log.types())
  }
}
