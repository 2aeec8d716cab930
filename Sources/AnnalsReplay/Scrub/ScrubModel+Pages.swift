import Annals
import AnnalsLog

extension ScrubModel {
  /// All data of an event.
  func eventPage(_ event: StoredEvent) -> ScrubPage {
    var lines: [ScrubLine] = []
    func add(_ name: String, _ value: String) { lines += hanging(name, 13, [(value, .plain)], .dim) }
    add("type", event.schema == 1 ? event.type : "\(event.type)  schema \(event.schema)")
    add("stream", "\(event.stream.text)  \(event.version)")
    for time in facts.times.column(event.time.microseconds) { add("time", time) }
    // A label is clearer than the transaction's number.
    if event.metadata["transaction"] == nil { add("transaction", "\(event.transaction)") }
    add("id", event.id.id)
    add("source", event.id.source)
    if let command = shown?.batch.event(at: event.position)?.command { add("command", command) }
    for (name, json) in event.metadata.sorted { add(name, (try? JSONValue(parsing: json))?.string ?? json) }
    if !event.tags.isEmpty { add("tags", event.tags.map(\.text).sorted().joined(separator: " ")) }
    lines.append([])
    let payload = event.payload.flatMap { try? JSONValue(parsing: $0) }
    lines +=
      payload?.pretty(levels: 20).flatMap { wrapped([($0, .plain)]) } ?? [
        [(event.payload ?? "(no payload)", .dim)]
      ]
    return ScrubPage(title: "event \(event.position)", lines: lines)
  }

  /// All fields of the row under the cursor, and all its changes.
  func rowPage() -> ScrubPage? {
    guard let id = selectedID else { return nil }
    let names = fieldNames
    let wide = min(20, names.map { Text.width(Text.safe($0)) }.max() ?? 0) + 2
    var lines =
      selectedRecord.map { record in
        names.flatMap { hanging($0, wide, [(TextLines.value(record.member(ExactString($0))), .plain)], .dim) }
      } ?? [[("not in the list here", .dim)]]
    lines.append([])
    if let history {
      lines += history.steps.flatMap { step in
        let isLater = step.position > position
        return wrapped([("\(step.position)  ", .plain)] + Self.pieces(of: step, history)).map { line in
          line.map { ($0.text, isLater ? .dim : $0.style) }
        }
      }
    } else {
      lines.append([(historyState(of: id), .dim)])
    }
    return ScrubPage(title: "row \(id)", lines: lines, rowID: id)
  }

  /// A page of lines of text.
  func textPage(_ title: String, _ lines: [String]) -> ScrubPage {
    ScrubPage(title: title, lines: lines.flatMap { wrapped([($0, .plain)]) })
  }

  /// The keys and the signs.
  var helpPage: ScrubPage {
    func lines(_ entries: [(String, String)]) -> [ScrubLine] {
      entries.flatMap { hanging($0.0, 17, [($0.1, .plain)], .bold) }
    }
    return ScrubPage(
      title: "keys", lines: lines(ScrubKey.all.map { ($0.label, $0.help) }) + [[]] + lines(ScrubKey.signs))
  }

  /// Text in lines next to a name.
  private func hanging(_ name: String, _ indent: Int, _ text: ScrubLine, _ style: CellStyle) -> [ScrubLine] {
    let label = Text.cut(Text.safe(name), to: indent - 1)
    return wrapped(text, indent: indent).enumerated().map { index, line in
      [(Text.padded(index == 0 ? label : "", to: indent), style)] + line
    }
  }

  private func wrapped(_ line: ScrubLine, indent: Int = 0) -> [ScrubLine] {
    Array(Screen.wrapped(line, to: max(10, pageArea.width - indent)).prefix(2_000))
  }
}
