import Annals
import AnnalsLog

/// Lists and changes as JSON, in the forms that `Docs/Tool.md` defines.
enum JSONLines {
  static func list(_ list: any ShownList) -> String {
    // What limit and offset leave out is counted too.
    func total(_ total: Int, beside count: Int) -> String { total == count ? "" : ",\"total\":\(total)" }
    var text =
      "{\"position\":\(list.position),\"count\":\(list.rowCount)\(total(list.total, beside: list.rowCount)),"
      + "\"sections\":["
    for index in 0..<list.sectionCount {
      let section = list.section(index)
      if index > 0 { text += "," }
      text += "{\"key\":\(section.key.json),\"title\":\(quoted(section.title)),"
      text += "\"indexTitle\":\(quoted(section.indexTitle))\(total(section.total, beside: section.count)),\"rows\":["
      var isFirst = true
      for record in list.records(ofSection: index) {
        if !isFirst { text += "," }
        isFirst = false
        text += row(record)
      }
      text += "]}"
    }
    return text + "]}"
  }

  static func row(_ record: Record) -> String { "{\"id\":\(quoted(record.id)),\"fields\":\(record.fields.text)}" }

  /// A batch.
  ///
  /// - Parameters:
  ///   - batch: What changed.
  ///   - from: The position that the receiver has.
  ///   - section: A section that the receiver does not have yet, to be inserted first.
  ///   - counted: True for how much changes instead of what.
  /// - Returns: A line without its end.
  static func batch(
    _ batch: ListBatch, from: Position, inserting section: ShownSection?, counted: Bool = false
  ) -> String {
    let first = section.map { SectionChange.insert(index: 0, key: $0.key, title: $0.title) }
    var whole = batch
    whole.sections = [first].compactMap { $0 } + batch.sections
    var line = "{\"from\":\(from),\"to\":\(batch.to),"
    if counted {
      line += "\"counts\":{\(BatchCounts(whole).members)}"
    } else {
      line +=
        "\"sections\":[\(whole.sections.map(text).joined(separator: ","))],"
        + "\"rows\":[\(batch.rows.map(text).joined(separator: ","))]"
    }
    if let last = batch.events.last, batch.eventCount == batch.events.count {
      line += ",\"time\":\(time(last.time))"
    }
    if batch.eventCount > 0 {
      line += ",\"eventCount\":\(batch.eventCount),\"events\":[\(batch.events.map(cause).joined(separator: ","))]"
    }
    return line + "}"
  }

  /// An event as the cause of something.
  static func cause(_ event: EventCause) -> String {
    var line =
      "{\"position\":\(event.position),\"time\":\(time(event.time)),\"type\":\(quoted(event.type)),"
      + "\"source\":\(quoted(event.id.source)),\"id\":\(quoted(event.id.id)),"
      + "\"stream\":\(quoted(event.stream.text)),\"version\":\(event.version),"
      + "\"transaction\":\(event.transaction)"
    func add(_ name: String, _ value: String?) {
      if let value { line += ",\"\(name)\":\(quoted(value))" }
    }
    if event.schema != 1 { line += ",\"schema\":\(event.schema)" }
    add("actor", event.metadata.author)
    add("correlationid", event.metadata.correlation)
    add("causationid", event.metadata.causation)
    add("command", event.command)
    return line + "}"
  }

  static func time(_ microseconds: Int64) -> String { quoted(RFC3339.text(microseconds: microseconds)) }

  private static func text(_ change: SectionChange) -> String {
    switch change {
    case .delete(let index, let key): "{\"type\":\"delete\",\"index\":\(index),\"key\":\(key.json)}"
    case .insert(let index, let key, let title):
      "{\"type\":\"insert\",\"index\":\(index),\"key\":\(key.json),\"title\":\(quoted(title))}"
    case .move(let from, let to, let key): "{\"type\":\"move\",\"from\":\(from),\"to\":\(to),\"key\":\(key.json)}"
    case .update(let index, let newIndex, let key, let title):
      "{\"type\":\"update\",\"index\":\(index),\"newIndex\":\(newIndex),\"key\":\(key.json),\"title\":\(quoted(title))}"
    }
  }

  private static func text(_ step: RowStep) -> String {
    let id = quoted(step.change.row.id)
    let fields = step.change.row.fields.text
    var line =
      switch step.change {
      case .delete(_, let at, let moved):
        "{\"type\":\"delete\",\"id\":\(id),\"at\":\(path(at))\(moved ? ",\"moved\":true" : "")"
      case .insert(_, let at, let moved):
        "{\"type\":\"insert\",\"id\":\(id),\"at\":\(path(at))\(moved ? ",\"moved\":true" : ""),\"fields\":\(fields)"
      case .move(_, let from, let to, let contentChanged):
        "{\"type\":\"move\",\"id\":\(id),\"from\":\(path(from)),\"to\":\(path(to)),"
          + "\"contentChanged\":\(contentChanged),"
          + "\"fields\":\(fields)"
      case .update(_, let at, let newAt):
        "{\"type\":\"update\",\"id\":\(id),\"at\":\(path(at)),\"newAt\":\(path(newAt)),\"fields\":\(fields)"
      }
    if case .delete(let row, _, false) = step.change {
      line += ",\"old\":\(row.fields.text)"
    } else if !step.changedFields.isEmpty {
      let old = step.changedFields.map { "\(quoted($0.name)):\($0.old.text)" }
      line += ",\"old\":{\(old.joined(separator: ","))}"
    }
    if !step.events.isEmpty { line += ",\"events\":[\(step.events.map { "\($0)" }.joined(separator: ","))]" }
    return line + "}"
  }

  private static func path(_ path: RowPath) -> String { "[\(path.section),\(path.row)]" }
  private static func quoted(_ text: String) -> String { JSONValue.quoted(text) }
}
