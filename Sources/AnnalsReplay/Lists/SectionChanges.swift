import Annals
import AnnalsLog

/// A character in front of a change.
enum ChangeMark: String {
  case insert = "+"
  case delete = "-"
  case move = ">"
  case update = "~"
  case none = " "

  var style: Style? {
    switch self {
    case .insert: .green
    case .delete: .red
    case .move: .blue
    case .update: .yellow
    case .none: nil
    }
  }
}

/// What a batch does to one section, for people: a row that moves is one change, in the section that has it afterwards.
struct SectionChanges {
  /// What happens to a row.
  struct Row {
    let mark: ChangeMark
    let step: RowStep
    /// The title of the section that had the row, if that is another one.
    let from: String?
  }

  let mark: ChangeMark
  /// The section's title, with the former one if that was different, or nil in a list without sections.
  let title: String?
  private(set) var rows: [Row] = []

  /// How many rows are inserted, deleted, moved and changed, such as `+1 ~3`.
  var counts: String {
    [ChangeMark.insert, .delete, .move, .update].compactMap { mark in
      let count = rows.count { $0.mark == mark }
      return count == 0 ? nil : "\(mark.rawValue)\(count)"
    }.joined(separator: " ")
  }

  /// The sections that a batch changes: deleted ones, and then those of the list afterwards, in order.
  static func all(of batch: ListBatch) -> [SectionChanges] {
    guard let (old, new) = batch.lists else {
      var all = SectionChanges(mark: .none, title: nil)
      for step in batch.rows { all.add(step, from: nil) }
      return [all]
    }
    var (deleted, found): ([SectionKey: Int], [SectionKey: SectionChanges]) = ([:], [:])
    for change in batch.sections {
      switch change {
      case .delete(let index, let key):
        deleted[key] = index
        found[key] = SectionChanges(mark: .delete, title: TextLines.title(old.section(index)))
      case .insert(let index, let key, _):
        found[key] = SectionChanges(mark: .insert, title: TextLines.title(new.section(index)))
      case .move(_, let index, let key):
        found[key] = SectionChanges(mark: .move, title: TextLines.title(new.section(index)))
      case .update(let index, let newIndex, let key, _):
        let (title, former) = (TextLines.title(new.section(newIndex)), TextLines.title(old.section(index)))
        found[key] = SectionChanges(mark: .update, title: title + (title == former ? "" : " (was \(former))"))
      }
    }
    // A move that a table view is given as two changes.
    var origins: [ExactString: ShownSection] = [:]
    for case .delete(let row, let at, true) in batch.rows.map(\.change) {
      origins[ExactString(row.id)] = old.section(at.section)
    }
    for step in batch.rows {
      var origin: ShownSection?
      let section: ShownSection
      switch step.change {
      case .delete(_, _, true): continue
      case .delete(_, let at, false): section = old.section(at.section)
      case .insert(let row, let at, _): (section, origin) = (new.section(at.section), origins[ExactString(row.id)])
      case .move(_, let from, let to, _): (section, origin) = (new.section(to.section), old.section(from.section))
      case .update(_, _, let newAt): section = new.section(newAt.section)
      }
      let from = origin.flatMap { $0.key == section.key ? nil : TextLines.title($0) }
      found[section.key, default: SectionChanges(mark: .none, title: TextLines.title(section))].add(step, from: from)
    }
    let gone = deleted.sorted { $0.value < $1.value }.compactMap { found.removeValue(forKey: $0.key) }
    return gone + (0..<new.sectionCount).lazy.compactMap { found.isEmpty ? nil : found[new.section($0).key] }
  }

  private mutating func add(_ step: RowStep, from: String?) {
    let mark: ChangeMark =
      switch step.change {
      case .delete(_, _, let moved): moved ? .none : .delete
      case .insert(_, _, let moved): moved ? .move : .insert
      case .move: .move
      case .update: .update
      }
    if mark != .none { rows.append(Row(mark: mark, step: step, from: from)) }
  }
}
