import Annals
import AnnalsLog

/// Counts the skipped events, which are not records, by type.
///
/// A list that leaves them out says so.
final class Strangers {
  private var counts: [ExactString: Int] = [:]
  /// The types that appeared since the last sentence about them.
  private var met: [ExactString] = []

  var isEmpty: Bool { counts.isEmpty }

  func add(_ event: StoredEvent) {
    let type = ExactString(event.type)
    if counts[type, default: 0] == 0 { met.append(type) }
    counts[type, default: 0] += 1
  }

  /// Counts events of a type.
  func add(_ type: String, _ count: Int) { counts[ExactString(type), default: 0] += count }

  func clear() { (counts, met) = ([:], []) }

  /// The sentence to print beside a list that leaves events out; nil if it leaves out none.
  func sentence(tool: String) -> String? {
    if isEmpty { return nil }
    let are = total == 1 ? "event was passed over, which is no record" : "events were passed over, which are no records"
    return "\(total) \(are): \(list); \(tool) log lists them"
  }

  /// The sentence about types that appeared for the first time; nil if there are none.
  var newSentence: String? {
    if met.isEmpty { return nil }
    defer { met = [] }
    return "events of \(Self.words(met.sorted().map(\.text))) are passed over: they are no records"
  }

  /// Why a log that has only other events has no list.
  ///
  /// - Parameters:
  ///   - path: The log's file.
  ///   - tool: What the tool is called.
  ///   - lists: The names of the lists that the tool knows.
  /// - Returns: The error.
  func refusal(of path: String, tool: String, lists: [String]) -> ReplayError {
    ReplayError(
      .negative,
      "\(path): has \(Text.counted(total, "event")) that no list of \(tool) folds: \(list)\n\(tool) log shows them, "
        + "and \(tool) info counts them. Lists of an app's own events are shown by the app's own tool, which is five "
        + "lines (Docs/YourOwnTool.md)")
  }

  private var total: Int { counts.values.reduce(0, +) }

  private var list: String {
    let parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return Self.words(parts.map { "\($0.value) of \($0.key.text.shortened(to: 60))" })
  }

  private static func words(_ words: [String]) -> String {
    let more = words.count - 10
    return words.prefix(10).joined(separator: ", ") + (more > 0 ? " and \(Text.counted(more, "other type"))" : "")
  }
}
