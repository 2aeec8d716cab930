import Annals

/// Lists and changes for people.
struct TextLines {
  private let colour: Bool
  private let columns: Int?

  init(_ console: Console) {
    colour = console.hasColour
    columns = console.columns
  }

  func list(_ list: Results<Record>, isSectioned: Bool) -> [String] {
    var lines = [
      "position \(list.position): \(Text.counted(list.rows.count, "row"))"
        + (isSectioned ? " in \(Text.counted(list.sections.count, "section"))" : "")
    ]
    for section in list.sections {
      if isSectioned {
        lines.append(
          Style.bold.on(cut(title(section.title)), if: colour) + Style.dim.on("  \(section.count)", if: colour))
      }
      for row in section { lines.append(cut("  " + text(row))) }
    }
    return lines
  }

  func batch(_ changes: Changes<Record>, from: Position) -> [String] {
    var lines = [Style.bold.on("\(from) → \(changes.to)", if: colour)]
    for change in changes.sections {
      switch change {
      case .delete(let index, let key): lines.append(line("-", "section \(index)  \(key.json)"))
      case .insert(let index, _, let title): lines.append(line("+", "section \(index)  \(self.title(title))"))
      case .move(let from, let to, let key): lines.append(line(">", "section \(from) → \(to)  \(key.json)"))
      case .update(let index, let newIndex, _, let title):
        let place = index == newIndex ? "\(newIndex)" : "\(index) → \(newIndex)"
        lines.append(line("~", "section \(place)  \(self.title(title))"))
      }
    }
    for change in changes.rows {
      switch change {
      case .delete(let row, let at, let moved): lines.append(line("-", "\(at)  \(row.id)\(moved ? "  (moved)" : "")"))
      case .insert(let row, let at, let moved): lines.append(line("+", "\(at)\(moved ? " (moved)" : "")  \(text(row))"))
      case .move(let row, let from, let to, let contentChanged):
        lines.append(line(">", "\(from) → \(to)  \(contentChanged ? text(row) : row.id)"))
      case .update(let row, let at, let newAt):
        lines.append(line("~", "\(at == newAt ? "\(at)" : "\(at) → \(newAt)")  \(text(row))"))
      }
    }
    return lines
  }

  private func line(_ mark: String, _ text: String) -> String {
    let style: Style =
      switch mark {
      case "-": .red
      case "+": .green
      case ">": .blue
      default: .yellow
      }
    return "  " + style.on(mark, if: colour) + " " + cut(Text.safe(text), less: 4)
  }

  private func cut(_ text: String, less used: Int = 0) -> String {
    Text.cut(Text.safe(text), to: columns.map { $0 - used })
  }

  private func title(_ title: String) -> String { title.isEmpty ? "(no title)" : title }

  private func text(_ row: Record) -> String {
    guard case .object(let members) = row.fields, !members.isEmpty else { return row.id }
    return row.id + "  " + members.map { "\($0.name): \(value($0.value))" }.joined(separator: ", ")
  }

  private func value(_ value: JSONValue) -> String {
    if let (subject, found) = value.personal { return found == .null ? "(erased of \(subject))" : self.value(found) }
    return if case .string(let text) = value { text } else { value.text }
  }
}
