import Annals
import Foundation

/// What remains of record events: one insertion of each existing row, with its fields, and the last title of each
/// section.
struct RecordRule: CompactionRule {
  /// A row of a collection, or the title of a section.
  private struct Key: Hashable {
    let collection: ExactString
    /// The row's id; nil for a title.
    let id: ExactString?
    /// The section's key; nil for a row.
    let section: SectionKey?
  }

  /// Where an event is, and which of the facts it has that many share.
  private struct Outline {
    let position: Position
    let version: Int
    let facts: Int
  }

  /// What many events have in common: of a million events of a collection there are some three.
  private struct Facts: Hashable {
    let stream: StreamName
    let type: String
    let schema: Int
    let tags: Set<EventTag>
  }

  /// The facts that were met, each once.
  private struct KnownFacts {
    private var numbers: [Facts: Int] = [:]
    private var all: [Facts] = []

    mutating func outline(of event: StoredEvent) -> Outline {
      let facts = Facts(stream: event.stream, type: event.type, schema: event.schema, tags: event.tags)
      let number = numbers[facts] ?? all.count
      if number == all.count {
        all.append(facts)
        numbers[facts] = number
      }
      return Outline(position: event.position, version: event.version, facts: number)
    }

    func tags(of outline: Outline) -> Set<EventTag> { all[outline.facts].tags }

    /// The event without its id, time, payload and metadata, which a plan does not need.
    func event(_ outline: Outline) -> StoredEvent {
      let facts = all[outline.facts]
      return StoredEvent(
        position: outline.position, transaction: 0, stream: facts.stream, version: outline.version,
        id: EventID(source: "", id: ""), type: facts.type, schema: facts.schema, time: Date(microseconds: 0),
        tags: facts.tags, payload: nil, metadata: [:])
    }
  }

  /// The history of a row or a title, from its first event on.
  private struct Life {
    /// Even of a log of gigabytes only the rows are in memory, and some words for each of their events.
    var events: [Outline] = []
    /// The index in `events` of the last insertion, or of the last title.
    var last = 0
    /// The row as it was last inserted, and as it is now; nil if there is none.
    var inserted: Record?
    var record: Record?
    /// True if an event has data that the tool does not know.
    ///
    /// Then all of the events stay.
    var saysMore = false
    /// True if the last event stays, because nothing else of its collection is left.
    var isMonument = false
  }

  func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws {
    var lives: [Key: Life] = [:]
    var facts = KnownFacts()
    try log.forEachEvent(RecordEvent.query, through: end) { event in
      do {
        guard let (collection, record) = try RecordEvent.read(type: event.type, payload: event.payload) else { return }
        let outline = facts.outline(of: event)
        try Self.add(
          event, outline, record, to: &lives[Self.key(of: record, in: collection), default: Life()])
      } catch let problem as RecordEvent.Problem {
        throw ReplayError.invalidRecord(at: event.position, problem)
      }
    }
    Self.keepCollections(&lives)
    for (key, life) in lives where !life.saysMore { try Self.compact(life, key, facts, into: &plan) }
  }

  private static func key(of record: RecordEvent, in collection: String) -> Key {
    switch record {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id):
      Key(collection: ExactString(collection), id: ExactString(id), section: nil)
    case .sectionRenamed(let section, _):
      Key(collection: ExactString(collection), id: nil, section: section.sectionKey)
    }
  }

  private static func add(
    _ event: StoredEvent, _ outline: Outline, _ record: RecordEvent, to life: inout Life
  ) throws {
    func expect(_ isThere: Bool, _ what: String) throws {
      if (life.record != nil) != isThere {
        throw RecordEvent.Problem(description: "\(what) the row \(isThere ? "that is not there" : "that is there")")
      }
    }
    let known: Set<String>
    switch record {
    case .inserted(let id, let fields):
      try expect(false, "inserts")
      var inserted = Record(id: id)
      inserted.update(fields)
      (life.inserted, life.record, life.last) = (inserted, inserted, life.events.count)
      known = ["collection", "id", "fields"]
    case .updated(_, let fields):
      try expect(true, "updates")
      life.record?.update(fields)
      known = ["collection", "id", "fields"]
    case .deleted:
      try expect(true, "deletes")
      (life.inserted, life.record) = (nil, nil)
      known = ["collection", "id"]
    case .sectionRenamed:
      life.last = life.events.count
      known = ["collection", "section", "title"]
    }
    life.events.append(outline)
    let members = try JSON.members(ofObject: event.payload ?? "{}")
    if members.contains(where: { member in !known.contains { ExactString($0) == ExactString(member.name) } }) {
      life.saysMore = true
    }
  }

  /// Keeps the row that was deleted last, with its deletion, if the collection would otherwise disappear.
  private static func keepCollections(_ lives: inout [Key: Life]) {
    for (_, keys) in Dictionary(grouping: lives.keys, by: \.collection) {
      let isKept = keys.contains { key in
        key.section != nil || lives[key].map { $0.saysMore || $0.record != nil } ?? false
      }
      func end(_ key: Key) -> Position { lives[key]?.events.last?.position ?? 0 }
      guard !isKept, let last = keys.max(by: { end($0) < end($1) }) else { continue }
      lives[last]?.isMonument = true
    }
  }

  private static func compact(
    _ life: Life, _ key: Key, _ facts: KnownFacts, into plan: inout CompactionPlan
  ) throws {
    for (place, outline) in life.events.enumerated() {
      let event = facts.event(outline)
      if place != life.last {
        if life.isMonument, place == life.events.count - 1 { continue }
        try plan.add(.cut, to: event)
      } else if let record = life.record {
        if let inserted = life.inserted, inserted.fields == record.fields { continue }
        let payload = RecordEvent.inserted(id: record.id, fields: record.members).payload(in: key.collection.text)
        // The new insertion has all tags of the updates, so that a query by any of them still finds the row.
        let tags = life.events[place...].reduce(into: Set<EventTag>()) { $0.formUnion(facts.tags(of: $1)) }
        let new = NewEvent(type: event.type, schema: event.schema, payload: payload, tags: tags)
        try plan.add(.replaced(by: new), to: event)
      } else if key.section == nil, !life.isMonument {
        try plan.add(.cut, to: event)
      }
    }
  }
}

/// The rows and titles of every collection must be equal.
struct RecordProof: CompactionProof {
  private struct Fold: CompactionFold {
    var names: [(position: Position, names: [String])] = []
    var collections: [ExactString: RowsFold<Record>] = [:]

    func difference(from before: any CompactionFold) -> CompactionError.Difference? {
      guard let before = before as? Fold else { return nil }
      for (old, new) in zip(before.names, names)
      where old.names.map(ExactString.init) != new.names.map(ExactString.init) {
        return .init(
          name: "the records", position: old.position, row: nil, before: "of the collections \(old.names)",
          after: "of \(new.names)")
      }
      for (name, old) in before.collections.sorted(by: { $0.key < $1.key }) {
        if let difference = collections[name]?.difference(from: old) { return difference }
      }
      return nil
    }
  }

  var name: String { "the records" }

  func reader() -> (StoredEvent) -> Bool { { event in RecordEvent.query.matches(event) } }

  func fold(
    _ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]
  ) throws -> any CompactionFold {
    var (fold, records, last) = (Fold(), RecordCollections(), 0 as Position)
    for position in positions {
      try log.forEachEvent(RecordEvent.query, after: last, through: position) { event in
        do {
          try records.apply(type: event.type, payload: event.payload)
        } catch {
          throw ReplayError.invalidRecord(at: event.position, error)
        }
      }
      last = position
      fold.names.append((position, records.names))
      for (name, rows) in records.rows {
        let list = Results(FetchRequest<Record>(), of: rows, at: position)
        fold.collections[name, default: RowsFold(name: "the collection \(JSONValue.quoted(name.text))")].states.append(
          (rows, list))
      }
    }
    return fold
  }
}
