import Annals
import AnnalsLog

/// The events that change a collection's rows to the rows of a source.
struct RowComparison {
  /// The events: insertions and updates in the order of the source, then deletions.
  private(set) var events: [RecordEvent] = []
  /// The number of rows that the source doesn't have and that stay in the collection.
  private(set) var missing = 0

  /// Compares the rows of a source with the rows of a collection.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - current: The collection's rows.
  ///   - deletes: True if rows that the source doesn't have are deleted.
  init(_ source: ImportedRows, with current: Rows<Record>, deletes: Bool) {
    for row in source.rows {
      guard let record = current[row.id] else {
        events.append(.inserted(id: row.id, fields: Record(id: row.id, fields: row.fields).members))
        continue
      }
      let changes = Self.changes(of: record, to: Record(id: row.id, fields: row.fields))
      if !changes.isEmpty { events.append(.updated(id: row.id, fields: changes)) }
    }
    let others = current.all.filter { !source.contains($0.id) }
    if deletes { events += others.map { .deleted(id: $0.id) } } else { missing = others.count }
  }

  /// The fields of a row that another row has with another value, or with null if the other row lacks the field.
  private static func changes(of record: Record, to other: Record) -> [JSONMember] {
    let names = Set((record.members + other.members).map { ExactString($0.name) })
    return names.sorted().compactMap { name in
      value(replacing: record.member(name), by: other.member(name)).map { JSONMember(name: name.text, value: $0) }
    }
  }

  /// Returns the value to store, or nil if the field stays as it is.
  ///
  /// A personal value keeps its subject, so that it can still be erased. An erased value stays erased.
  private static func value(replacing old: JSONValue, by new: JSONValue) -> JSONValue? {
    if EventContent.areEqual(old, new) { return nil }
    guard let (subject, value) = old.personal, new.personal == nil else { return new }
    if value == .null || value == new { return nil }
    return new == .null ? .null : ["$personal": .string(subject), "value": new]
  }
}
