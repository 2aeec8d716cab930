import Annals

/// All that a log says of one event.
enum EventPage {
  /// The metadata and tags of an event, a line for each.
  static func metadata(of event: StoredEvent) -> [String] {
    var lines = ["    id  \(event.id.id)", "    source  \(event.id.source)"]
    lines += event.metadata.sorted.map { name, json in
      "    \(name)  \((try? JSONValue(parsing: json))?.string ?? json)"
    }
    if !event.tags.isEmpty { lines.append("    tags  " + event.tags.map(\.text).sorted().joined(separator: " ")) }
    return lines.map { Text.safe($0) }
  }
}
