import Annals
import AnnalsLog
import Foundation

/// What remains of record events: one insertion of each existing row, with its fields, and the last title of each
/// section.
struct RecordRule: CompactionRule {
  func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws {
    var lives = RecordLives()
    try log.forEachEvent(RecordEvent.query, through: end) { event in
      do {
        try lives.add(event)
      } catch let problem as RecordEvent.Problem {
        throw ReplayError.invalidRecord(at: event.position, problem)
      }
    }
    lives.keepCollections()
    try lives.compact(into: &plan)
  }
}

/// The histories of all rows and titles: their events as positions, their rows as texts.
///
/// Of a log of gigabytes only the rows that are there are in memory, and some words for each event.
private struct RecordLives {
  /// The history of a row or a title, from its first event on.
  private struct Life {
    let collection: Int32
    let isTitle: Bool
    /// True if an event has data that the tool does not know.
    ///
    /// Then all of the events stay.
    var saysMore = false
    /// True if the last event stays, because nothing else of its collection is left.
    var isMonument = false
    /// True if the row was updated since it was last inserted.
    var isUpdated = false
    /// The index of the last insertion, or of the last title, among all events.
    var last: Int32 = 0
    /// The index of the last event.
    var end: Int32 = 0
    /// True if an update brought a tag that the insertion has not.
    var hasMoreTags = false
    /// The hash of the fields as they were inserted, where the row was updated.
    ///
    /// Should two differ that have one hash, the proof says so.
    var insertedHash = 0
    /// The fields as they are now; nil if there is no row.
    var fields: String?
  }

  /// Where an event is, whose it is, and which of the facts it has that many share.
  private struct Outline {
    let position: Position
    let version: Int
    let life: Int32
    let facts: Int32
  }

  /// What many events have in common: of a million events of a collection there are some three.
  private struct Facts: Hashable {
    let stream: StreamName
    let type: String
    let schema: Int
  }

  /// The lives of a collection.
  private struct Collection {
    let name: ExactString
    var rows: [ExactString: Int32] = [:]
    var titles: [SectionKey: Int32] = [:]
  }

  private var events: [Outline] = []
  private var lives: [Life] = []
  private var collections: [Collection] = []
  private var collectionNumbers: [ExactString: Int32] = [:]
  private var (facts, factNumbers): ([Facts], [Facts: Int32]) = ([], [:])
  /// The tags of each row's events since it was inserted, where they have any.
  private var tags: [Int32: Set<EventTag>] = [:]

  /// Takes the next event.
  mutating func add(_ event: StoredEvent) throws {
    guard let (name, record) = try RecordEvent.read(type: event.type, payload: event.payload) else { return }
    let number = life(of: record, in: collection(ExactString(name)))
    let (place, index) = (Int(number), Int32(events.count))
    func expect(_ isThere: Bool, _ what: String) throws {
      if (lives[place].fields != nil) != isThere {
        throw RecordEvent.Problem(description: "\(what) the row \(isThere ? "that is not there" : "that is there")")
      }
    }
    let known: [String]
    switch record {
    case .inserted(let id, let fields):
      try expect(false, "inserts")
      var row = Record(id: id)
      row.update(fields)
      (lives[place].fields, lives[place].last) = (row.fields.text, index)
      (lives[place].isUpdated, lives[place].hasMoreTags) = (false, false)
      tags[number] = event.tags.isEmpty ? nil : event.tags
      known = ["collection", "id", "fields"]
    case .updated(let id, let fields):
      try expect(true, "updates")
      var row = Record(id: id, fields: try JSONValue(parsing: lives[place].fields ?? "{}"))
      if !lives[place].isUpdated { lives[place].insertedHash = Self.hash(row.fields) }
      row.update(fields)
      (lives[place].fields, lives[place].isUpdated) = (row.fields.text, true)
      if !event.tags.isSubset(of: tags[number] ?? []) {
        lives[place].hasMoreTags = true
        tags[number, default: []].formUnion(event.tags)
      }
      known = ["collection", "id", "fields"]
    case .deleted:
      try expect(true, "deletes")
      (lives[place].fields, lives[place].isUpdated) = (nil, false)
      known = ["collection", "id"]
    case .sectionRenamed:
      lives[place].last = index
      known = ["collection", "section", "title"]
    }
    lives[place].end = index
    events.append(
      Outline(position: event.position, version: event.version, life: number, facts: factNumber(of: event)))
    let members = try JSON.members(ofObject: event.payload ?? "{}")
    if members.contains(where: { member in !known.contains { ExactString.exactlyEqual($0, member.name) } }) {
      lives[place].saysMore = true
    }
  }

  /// Keeps the row that was deleted last, with its deletion, if its collection would otherwise disappear.
  mutating func keepCollections() {
    var isKept = collections.map { !$0.titles.isEmpty }
    for life in lives where life.saysMore || life.fields != nil { isKept[Int(life.collection)] = true }
    var last: [Int32: Int32] = [:]
    for event in events where !isKept[Int(lives[Int(event.life)].collection)] {
      last[lives[Int(event.life)].collection] = event.life
    }
    for life in last.values { lives[Int(life)].isMonument = true }
  }

  /// Adds what becomes of the events.
  func compact(into plan: inout CompactionPlan) throws {
    for (index, event) in events.enumerated() {
      let life = lives[Int(event.life)]
      if life.saysMore || life.isMonument && index == life.end { continue }
      let isCut = index == life.last ? life.fields == nil && !life.isTitle && !life.isMonument : true
      if isCut { try plan.add(.cut, to: stored(event)) }
    }
    for collection in collections {
      for (id, number) in collection.rows {
        let life = lives[Int(number)]
        guard !life.saysMore, life.isUpdated, let text = life.fields else { continue }
        let fields = try JSONValue(parsing: text)
        if !life.hasMoreTags, Self.hash(fields) == life.insertedHash { continue }
        let event = stored(events[Int(life.last)])
        let members = Record(id: id.text, fields: fields).members
        let payload = RecordEvent.inserted(id: id.text, fields: members).payload(in: collection.name.text)
        // The new insertion has all tags of the updates, so that a query by any of them still finds the row.
        let new = NewEvent(type: event.type, schema: event.schema, payload: payload, tags: tags[number] ?? [])
        try plan.add(.replaced(by: new), to: event)
      }
    }
  }

  private static func hash(_ fields: JSONValue) -> Int { ExactString(fields.canonicalText).hashValue }

  /// The event without its id, time, tags, payload and metadata, which a plan does not need.
  private func stored(_ event: Outline) -> StoredEvent {
    let facts = facts[Int(event.facts)]
    return StoredEvent(
      position: event.position, transaction: 0, stream: facts.stream, version: event.version,
      id: EventID(source: "", id: ""), type: facts.type, schema: facts.schema, time: Date(microseconds: 0),
      tags: [], payload: nil, metadata: [:])
  }

  private mutating func factNumber(of event: StoredEvent) -> Int32 {
    let found = Facts(stream: event.stream, type: event.type, schema: event.schema)
    if let number = factNumbers[found] { return number }
    facts.append(found)
    factNumbers[found] = Int32(facts.count - 1)
    return Int32(facts.count - 1)
  }

  private mutating func collection(_ name: ExactString) -> Int32 {
    if let number = collectionNumbers[name] { return number }
    collections.append(Collection(name: name))
    collectionNumbers[name] = Int32(collections.count - 1)
    return Int32(collections.count - 1)
  }

  /// The number of the life that an event belongs to, which may begin with it.
  private mutating func life(of record: RecordEvent, in collection: Int32) -> Int32 {
    let new = Int32(lives.count)
    let number: Int32
    switch record {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id):
      number = collections[Int(collection)].rows[ExactString(id), default: new]
      if number == new { collections[Int(collection)].rows[ExactString(id)] = new }
    case .sectionRenamed(let section, _):
      number = collections[Int(collection)].titles[section.sectionKey, default: new]
      if number == new { collections[Int(collection)].titles[section.sectionKey] = new }
    }
    if number == new {
      var isTitle = false
      if case .sectionRenamed = record { isTitle = true }
      lives.append(Life(collection: collection, isTitle: isTitle))
    }
    return number
  }
}
