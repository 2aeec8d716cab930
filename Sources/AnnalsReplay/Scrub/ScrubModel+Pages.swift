import Annals
import AnnalsLog

extension ScrubModel {
  /// All that the log says of an event.
  func eventPage(_ event: StoredEvent) -> ScrubPage {
    var lines: [ScrubLine] = []
    func add(_ name: String, _ value: String) {
      let pad = String(repeating: " ", count: max(0, 12 - Text.width(name)))
      lines.append([(name + pad + " ", .dim), (value, .plain)])
    }
    add("type", event.schema == 1 ? event.type : "\(event.type)  schema \(event.schema)")
    add("stream", "\(event.stream.text)  \(event.version)")
    for time in facts.times.column(event.time.microseconds) { add("time", time) }
    // A label says more than the transaction's number.
    if event.metadata["transaction"] == nil { add("transaction", "\(event.transaction)") }
    add("id", event.id.id)
    add("source", event.id.source)
    if let command = moment?.batch.event(at: event.position)?.command { add("command", command) }
    for (name, json) in event.metadata.sorted { add(name, (try? JSONValue(parsing: json))?.string ?? json) }
    if !event.tags.isEmpty { add("tags", event.tags.map(\.text).sorted().joined(separator: " ")) }
    lines.append([])
    let payload = event.payload.flatMap { try? JSONValue(parsing: $0) }
    if let payload {
      for line in payload.pretty(levels: 20) { lines += wrapped(line) }
    } else {
      lines.append([(event.payload ?? "(no payload)", .dim)])
    }
    return ScrubPage(title: "event \(event.position)", lines: lines)
  }

  /// All fields of the row under the cursor, and all that became of it.
  func rowPage() -> ScrubPage? {
    guard let id = selectedID else { return nil }
    var lines: [ScrubLine] = []
    if let record = selectedRecord {
      let names = fieldNames
      let wide = min(20, names.map { Text.width(Text.safe($0)) }.max() ?? 0)
      for name in names {
        let label = Text.cut(Text.safe(name), to: wide)
        let pad = String(repeating: " ", count: max(0, wide - Text.width(label)))
        let value = TextLines.value(record.member(ExactString(name)))
        for (index, line) in wrapped(value, indent: wide + 2).enumerated() {
          lines.append(
            [(index == 0 ? label + pad + "  " : String(repeating: " ", count: wide + 2), .dim)] + line)
        }
      }
    } else {
      lines.append([("not in the list here", .dim)])
    }
    lines.append([])
    guard let history = histories[id] else {
      lines.append([(unreadable.contains(id) ? "its history cannot be read" : "reading what became of it…", .dim)])
      return ScrubPage(title: "row \(id)", lines: lines, rowID: id)
    }
    for step in history.steps {
      let actor = history.actors[step.position].map { "  \($0)" } ?? ""
      let style: CellStyle = step.position > position ? .dim : .plain
      lines += wrapped("\(step.position)  \(Self.text(of: step))\(actor)").map { $0.map { ($0.text, style) } }
    }
    return ScrubPage(title: "row \(id)", lines: lines, rowID: id)
  }

  /// Lines to read.
  func textPage(_ title: String, _ lines: [String]) -> ScrubPage {
    ScrubPage(title: title, lines: lines.flatMap { $0.isEmpty ? [[]] : wrapped($0) })
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [ScrubLine] {
    let width = max(10, (layout.hasFrame ? columns - 4 : columns) - indent)
    return Screen.wrapped(Text.safe(text), to: width).prefix(2_000).map { [($0, .plain)] }
  }

  /// The keys.
  var helpPage: ScrubPage {
    let keys: [(String, String)] = [
      ("← →  h l", "the transaction before and after"),
      ("⇧← ⇧→  H L", "the event before and after"),
      ("⌥← ⌥→  < >", "100 transactions"),
      ("Home End  gg G", "the beginning, the end"),
      ("g", "go to any place: 120, -5, '2 days ago', tx:LABEL, id:EVENT, cmd:COMMAND"),
      ("[ ]", "where the row under the cursor changed before and after"),
      ("{ }", "the stream's event before and after the chosen event"),
      ("b", "where the field under the cursor got its value; again: the value before"),
      ("f", "find: where a row begins to meet a condition, price > 90; where the list"),
      ("", "begins to, as find takes it, count > 3, exists(b3), changed(b3.price);"),
      ("", "or the next event, type:BookRepriced author:ann (stream type tag author"),
      ("", "correlation command source grep where); n and N find the next and the"),
      ("", "one before"),
      ("x", "leave the chosen event out, as --without; again: have it back"),
      ("w", "what is left out: 6, 5..9, tx:LABEL, cmd:ID, type:Book*, author:ann"),
      ("W", "what could not apply without that, and why"),
      ("↑ ↓  k j", "the row above and below; PageUp and PageDown move a page"),
      ("Tab", "the next field of the row"),
      (", .", "the event before and after in the pane"),
      ("c", "let the cursor go to what changes, until you move it"),
      ("/", "search the rows' text; n and N repeat"),
      ("m '", "mark this position; go to the next mark"),
      ("d", "compare with the last mark, or stop"),
      ("e  Enter", "all of the event; all of the row"),
      ("s S", "sort by a field; cut into sections by a field"),
      ("t", "another list"),
      ("space + −", "play; faster and slower"),
      ("F", "follow the log's end"),
      ("y", "the command that prints what you see"),
      ("o", "write a page of the range from the last mark to here, as timeline does"),
      ("q", "quit"),
      ("", ""),
      ("+ − > ~", "a row was inserted, deleted, moved, changed"),
      ("× !", "an event was left out; could not apply without those"),
      ("▲ ▼ ·", "here; a mark; a change of the row under the cursor"),
    ]
    return ScrubPage(
      title: "keys",
      lines: keys.map { key, text in
        [(key + String(repeating: " ", count: max(0, 17 - Text.width(key))), .bold), (text, .plain)]
      })
  }
}
