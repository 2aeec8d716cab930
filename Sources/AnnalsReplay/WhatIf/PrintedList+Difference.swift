import Annals
import AnnalsLog

extension PrintedList {
  /// How another list differs, as one batch.
  ///
  /// It names each row that is in one of the lists only, each with other fields, and each in another section or order.
  ///
  /// - Complexity: O(n d) for n rows and d differences.
  func difference(to other: PrintedList, at position: Position) -> ListBatch {
    var sections: [SectionChange] = []
    let (oldKeys, newKeys) = (self.sections.map(\.key.text), other.sections.map(\.key.text))
    for (index, section) in self.sections.enumerated() where !newKeys.contains(oldKeys[index]) {
      sections.append(.delete(index: index, key: section.sectionKey))
    }
    for (index, section) in other.sections.enumerated() {
      if let before = oldKeys.firstIndex(of: newKeys[index]) {
        if ExactString(self.sections[before].title) != ExactString(section.title) {
          sections.append(.update(index: before, newIndex: index, key: section.sectionKey, title: section.title))
        }
      } else {
        sections.append(.insert(index: index, key: section.sectionKey, title: section.title))
      }
    }
    return ListBatch(from: position, to: position, sections: sections, rows: rows(to: other))
  }

  private func rows(to other: PrintedList) -> [RowStep] {
    let (old, new) = (placed, other.placed)
    let before = Dictionary(old.map { (ExactString($0.row.id), $0) }) { first, _ in first }
    let after = Dictionary(new.map { (ExactString($0.row.id), $0) }) { first, _ in first }
    // Rows of both lists that do not stay in one order, each in its section.
    let common = { (places: [Place], others: [ExactString: Place]) in
      places.filter { others[ExactString($0.row.id)] != nil }.map { "\($0.key) \($0.row.id)" }
    }
    var moved: Set<String> = []
    for change in common(new, before).difference(from: common(old, after)) {
      if case .insert(_, let name, _) = change { moved.insert(name) }
    }
    var steps: [RowStep] = []
    for place in old where after[ExactString(place.row.id)] == nil {
      steps.append(RowStep(change: .delete(row: place.record, at: place.path, moved: false), old: nil, line: nil))
    }
    for place in new {
      guard let was = before[ExactString(place.row.id)] else {
        steps.append(RowStep(change: .insert(row: place.record, at: place.path, moved: false), old: nil, line: nil))
        continue
      }
      let isChanged = was.row != place.row
      if moved.contains("\(place.key) \(place.row.id)") {
        steps.append(
          RowStep(
            change: .move(row: place.record, from: was.path, to: place.path, contentChanged: isChanged),
            old: was.record, line: nil))
      } else if isChanged {
        steps.append(
          RowStep(
            change: .update(row: place.record, at: was.path, newAt: place.path), old: was.record, line: nil))
      }
    }
    return steps
  }

  private struct Place {
    let key: String
    let path: RowPath
    let row: Row

    var record: Record { Record(id: row.id, fields: row.fields) }
  }

  private var placed: [Place] {
    sections.enumerated().flatMap { index, section in
      section.rows.enumerated().map { row in
        Place(key: section.key.text, path: RowPath(section: index, row: row.offset), row: row.element)
      }
    }
  }
}

extension PrintedList.Section {
  /// The key as a list's own, as far as JSON says which kind it is.
  fileprivate var sectionKey: SectionKey {
    switch key {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let number): number.int.map { .int($0) } ?? .double(key.double ?? 0)
    case .string(let text): .string(text)
    default: .string(key.text)
    }
  }
}
