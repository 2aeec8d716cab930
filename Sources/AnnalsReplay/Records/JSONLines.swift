import Annals

/// Lists and changes as JSON, in the forms that `Docs/Tool.md` defines.
enum JSONLines {
  static func list(_ list: Results<Record>) -> String {
    let sections = list.sections.map { section in
      let rows = section.map { "{\"id\":\(quoted($0.id)),\"fields\":\($0.fields.text)}" }
      return
        "{\"key\":\(section.key.json),\"title\":\(quoted(section.title)),\"indexTitle\":\(quoted(section.indexTitle)),"
        + "\"rows\":[\(rows.joined(separator: ","))]}"
    }
    return
      "{\"position\":\(list.position),\"count\":\(list.rows.count),\"sections\":[\(sections.joined(separator: ","))]}"
  }

  /// A batch; `section` is a section that the receiver does not have yet, to be inserted first.
  static func batch(_ changes: Changes<Record>, from: Position, inserting section: ResultsSection<Record>?) -> String {
    let first = section.map { SectionChange.insert(index: 0, key: $0.key, title: $0.title) }
    let sections = ([first].compactMap { $0 } + changes.sections).map(text)
    return "{\"from\":\(from),\"to\":\(changes.to),\"sections\":[\(sections.joined(separator: ","))],"
      + "\"rows\":[\(changes.rows.map(text).joined(separator: ","))]}"
  }

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

  private static func text(_ change: RowChange<Record>) -> String {
    let id = quoted(change.row.id)
    let fields = change.row.fields.text
    return switch change {
    case .delete(_, let at, let moved):
      "{\"type\":\"delete\",\"id\":\(id),\"at\":\(path(at))\(moved ? ",\"moved\":true" : "")}"
    case .insert(_, let at, let moved):
      "{\"type\":\"insert\",\"id\":\(id),\"at\":\(path(at))\(moved ? ",\"moved\":true" : ""),\"fields\":\(fields)}"
    case .move(_, let from, let to, let contentChanged):
      "{\"type\":\"move\",\"id\":\(id),\"from\":\(path(from)),\"to\":\(path(to)),\"contentChanged\":\(contentChanged),"
        + "\"fields\":\(fields)}"
    case .update(_, let at, let newAt):
      "{\"type\":\"update\",\"id\":\(id),\"at\":\(path(at)),\"newAt\":\(path(newAt)),\"fields\":\(fields)}"
    }
  }

  private static func path(_ path: RowPath) -> String { "[\(path.section),\(path.row)]" }
  private static func quoted(_ text: String) -> String { JSONValue.quoted(text) }
}
