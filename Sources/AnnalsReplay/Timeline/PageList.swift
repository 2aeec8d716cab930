import Annals
import AnnalsLog

/// A list's batches as a page keeps them.
///
/// Rows are written once, when they are first shown, and later by what changed: the page goes from batch to batch, so
/// it knows what was there before.
///
///     [0,s,r,events]                  the row at a path is deleted
///     [1,s,r,row,events,line]         a row is inserted at a path
///     [2,s,r,s,r,patch,events,line]   a row goes from a path to a path; patch is 0 if it is the same
///     [3,s,r,patch,events,line]       the row at a path is updated
///
/// Paths of rows that go are of the list before, paths of rows that come of the list after. A row is
/// `[id,shape,value,…]`, where the shape is a list of columns. A patch is `[column,value,…]`. `events` is 0 for the
/// one event of the batch, otherwise a list of positions. A batch has in `b` what other batches changed since
/// the one before, which are no steps.
final class PageList {
  let name: String
  private let isSectioned: Bool
  private let mask: Redaction
  /// The field by which options group the rows; a page has it in the titles.
  private let field: String?
  /// How many events of a batch are named at most: the last of them.
  private let mostNames: Int
  /// True if the titles of sections are values of a hidden field.
  private let hidesTitles: Bool
  private var columns = PageWords()
  private var shapes = PageWords()
  private var ids: PageWords
  private var keys: [SectionKey: Int] = [:]
  private var hiddenTexts: Set<String> = []
  private var start = ""
  private var batches = ""
  /// The positions of the events that may be named; nil if all may.
  private var chosen: Set<Position>?
  /// What changed before the next batch, without being one.
  private var passed: [String] = []
  /// How many batches the list has.
  private(set) var batchCount = 0
  /// The positions of the events that set a row which is shown.
  private(set) var positions: Set<Position> = []

  /// - Parameters:
  ///   - reader: The list.
  ///   - mask: The values to hide.
  ///   - section: The field by which options group the rows.
  ///   - mostNames: How many events of a batch are named at most.
  init(_ reader: any ListReader, _ mask: Redaction, section: FieldPath?, mostNames: Int) {
    (name, isSectioned, self.mask, self.mostNames) = (reader.name, reader.isSectioned, mask, mostNames)
    (field, hidesTitles, ids) = (section?.text, mask.hides(section), PageWords())
  }

  /// About how many bytes the list takes: where the page begins, and from batch to batch.
  var size: (start: Int, batches: Int) { (start.utf8.count, batches.utf8.count) }

  var json: String {
    PageJSON.object([
      ("name", PageJSON.quoted(name)), ("sectioned", "\(isSectioned)"), ("columns", columns.json),
      ("by", field.flatMap(columns.known).map { "\($0)" }), ("shapes", PageJSON.list(shapes.words)),
      ("start", "[\(start)]"), ("batches", "[\(batches)]"),
    ])
  }

  /// Takes the list that the page begins with.
  func begin(_ list: any ShownList) {
    var sections: [String] = []
    for index in 0..<list.sectionCount {
      let section = list.section(index)
      let paths = (0..<section.count).map { RowPath(section: index, row: $0) }
      let rows = paths.map { row(list.record(at: $0)) }
      let lines = mask.isEmpty ? paths.map { list.line(at: $0) } : []
      var parts = [title(section.title, section.key), "\(key(section.key))", PageJSON.list(rows)]
      if lines.contains(where: { $0 != nil }) { parts.append(PageJSON.list(lines.map { PageJSON.quoted($0 ?? "") })) }
      sections.append(PageJSON.list(parts))
    }
    start = sections.joined(separator: ",")
  }

  /// Names no other events than these until the next call.
  func choose(_ positions: Set<Position>) { chosen = positions }

  /// Takes what changed before the next batch by events that are left out, without naming them.
  func pass(_ batch: ListBatch) {
    if batch.isEmpty { return }
    passed.append(PageJSON.object(members(of: batch, by: [])))
  }

  /// Takes a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch, with the events of its rows.
  ///   - others: The positions of events that changed sections only.
  func add(_ batch: ListBatch, alsoBy others: [Position]) {
    let count = chosen?.count ?? batch.eventCount, choice = chosen
    let events = Array(named(Set(batch.rows.flatMap(\.events) + others)).sorted().suffix(mostNames))
    positions.formUnion(events)
    // The rows name no other events than the batch.
    if events.count == mostNames { chosen = Set(events) }
    defer { chosen = choice }
    var members: [PageJSON.Member] = [("to", "\(batch.to)")]
    members += self.members(of: batch, by: events)
    members.append(("n", count > events.count ? "\(count)" : nil))
    members.append(("b", passed.isEmpty ? nil : PageJSON.list(passed)))
    batches += (batchCount == 0 ? "" : ",") + PageJSON.object(members)
    batchCount += 1
    passed = []
  }

  /// Those events of some that may be named.
  private func named(_ events: Set<Position>) -> Set<Position> { chosen.map(events.intersection) ?? events }

  private func members(of batch: ListBatch, by events: [Position]) -> [PageJSON.Member] {
    // Titles may repeat hidden values of rows, so the rows come first.
    let rows = rows(of: batch, only: events.count == 1 ? events.first : nil)
    return [
      ("s", batch.sections.isEmpty ? nil : PageJSON.list(batch.sections.map(text))), ("r", PageJSON.list(rows)),
      ("e", events.isEmpty ? nil : PageJSON.list(events.map(\.rawValue))),
    ]
  }

  private func rows(of batch: ListBatch, only: Position?) -> [String] {
    // A row that goes to another section may come as a deletion and an insertion; here it is a move.
    var sources: [ExactString: RowPath] = [:]
    for step in batch.rows {
      if case .delete(let row, let at, true) = step.change { sources[ExactString(row.id)] = at }
    }
    return batch.rows.compactMap { step in
      let events = events(step, only: only)
      // What the app writes of a row may repeat what is hidden.
      let line = mask.isEmpty ? step.line.map { "," + PageJSON.quoted($0) } ?? "" : ""
      switch step.change {
      case .delete(_, _, true): return nil
      case .delete(let row, let at, false):
        note(row)
        return "[0,\(path(at)),\(events)]"
      case .insert(let row, let at, let moved):
        if moved, let from = sources[ExactString(row.id)] {
          return "[2,\(path(from)),\(path(at)),\(patch(step) ?? "0"),\(events)\(line)]"
        }
        return "[1,\(path(at)),\(self.row(row)),\(events)\(line)]"
      case .move(_, let from, let to, _):
        return "[2,\(path(from)),\(path(to)),\(patch(step) ?? "0"),\(events)\(line)]"
      case .update(_, let at, _):
        return "[3,\(path(at)),\(patch(step) ?? "[]"),\(events)\(line)]"
      }
    }
  }

  private func events(_ step: RowStep, only: Position?) -> String {
    let events = named(Set(step.events)).sorted()
    if let only, events == [only] { return "0" }
    return PageJSON.list(events.map(\.rawValue))
  }

  private func row(_ record: Record) -> String {
    note(record)
    let shape = shapes.number(PageJSON.list(record.members.map { columns.number($0.name) }))
    return PageJSON.list([id(record.id), "\(shape)"] + record.members.map { value($0.value, of: $0.name) })
  }

  private func patch(_ step: RowStep) -> String? {
    note(step.change.row)
    let changed = step.changedFields
    if changed.isEmpty { return nil }
    return PageJSON.list(
      changed.flatMap { field in
        ["\(columns.number(field.name))", field.new == .null ? PageJSON.missing : value(field.new, of: field.name)]
      })
  }

  private func value(_ value: JSONValue, of field: String) -> String {
    mask.value(value, at: [field]).map(PageJSON.value) ?? PageJSON.hidden
  }

  /// A row's id, or its number if ids are hidden.
  private func id(_ id: String) -> String {
    PageJSON.quoted(mask.hidesIDs ? "row \(ids.number(id) + 1)" : id)
  }

  private func note(_ record: Record) {
    for text in mask.hiddenTexts(of: record) where !text.isEmpty { hiddenTexts.insert(text) }
  }

  private func path(_ path: RowPath) -> String { "\(path.section),\(path.row)" }

  private func text(_ change: SectionChange) -> String {
    switch change {
    case .delete(let index, _): "[0,\(index)]"
    case .insert(let index, let key, let title): "[1,\(index),\(self.title(title, key)),\(self.key(key))]"
    case .move(let from, let to, _): "[2,\(from),\(to)]"
    case .update(let index, let newIndex, let key, let title): "[3,\(index),\(newIndex),\(self.title(title, key))]"
    }
  }

  /// A number for a section's key: what it says is in the title.
  private func key(_ key: SectionKey) -> Int {
    let number = keys[key] ?? keys.count
    keys[key] = number
    return number
  }

  private func title(_ title: String, _ key: SectionKey) -> String {
    PageJSON.quoted(isHidden(title, key) ? Redaction.word : title)
  }

  private func isHidden(_ title: String, _ key: SectionKey) -> Bool {
    if mask.isEmpty || title.isEmpty { return false }
    if hidesTitles { return true }
    if hiddenTexts.contains(title) { return true }
    return hiddenTexts.contains { $0.utf8.count > 2 && title.contains($0) }
  }
}
