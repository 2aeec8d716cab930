import Annals
import AnnalsLog

/// The rows and titles of every collection as texts, folded event by event.
///
/// A row takes some words and its text, a third of what it takes as a value in a list.
struct RecordTexts {
  private struct Collection {
    /// The fields of each row, by its id, as the one text that equal fields share.
    var rows: [ExactString: String] = [:]
    /// The last title of each section.
    var titles: [SectionKey: String] = [:]
  }

  private var collections: [ExactString: Collection] = [:]

  /// Folds an event; one of another domain changes nothing.
  ///
  /// - Throws: ``RecordEvent/Problem`` if the event is no valid record event, as when the rows are folded.
  mutating func apply(type: String, payload: String?) throws {
    guard let (name, event) = try RecordEvent.read(type: type, payload: payload) else { return }
    let collection = ExactString(name)
    switch event {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id):
      let key = ExactString(id)
      // A list of at most this one row says what the event makes of it, and what is wrong.
      var rows = Rows<Record>()
      if let text = collections[collection]?.rows[key] {
        rows.insert(Record(id: id, fields: try JSONValue(parsing: text)))
      }
      try event.apply(to: &rows, in: name)
      collections[collection, default: Collection()].rows[key] = rows[id]?.fields.canonicalText
    case .sectionRenamed(let section, let title):
      collections[collection, default: Collection()].titles[section.sectionKey] = title
    }
  }

  /// What is compared of all of it.
  func digests() -> RecordDigests {
    var digests = RecordDigests()
    digests.names = collections.keys.sorted().map(\.text)
    digests.rows.reserveCapacity(collections.values.reduce(0) { $0 + $1.rows.count })
    for (name, collection) in collections {
      for (id, text) in collection.rows { digests.rows.append(RecordDigests.digest(of: text, id, in: name)) }
      digests.titles[name] = collection.titles.mapValues { ExactString($0) }
    }
    digests.rows.sort()
    return digests
  }

  /// The first collection and id, in their order, for which a condition on the digest holds.
  func firstRow(where condition: (RecordDigests.Digest) -> Bool) -> (collection: String, id: String, text: String)? {
    for (name, collection) in collections.sorted(by: { $0.key < $1.key }) {
      let found = collection.rows.filter { condition(RecordDigests.digest(of: $0.value, $0.key, in: name)) }
      if let first = found.min(by: { $0.key < $1.key }) { return (name.text, first.key.text, first.value) }
    }
    return nil
  }
}

/// What tells records from others: the names and titles themselves, and sixteen bytes for each row.
struct RecordDigests {
  /// Of a row's id, and of all that it is.
  ///
  /// Each is a keyed hash of 64 bits whose key is the process's own. That two rows of one id which differ have one
  /// digest has a chance of one in 2⁶⁴, and no log can be written to meet it.
  struct Digest: Comparable {
    let id: Int
    let row: Int

    static func < (left: Self, right: Self) -> Bool { (left.id, left.row) < (right.id, right.row) }
  }

  /// The names of the collections, in order.
  var names: [String] = []
  var titles: [ExactString: [SectionKey: ExactString]] = [:]
  /// In order.
  var rows: [Digest] = []

  static func digest(of text: String, _ id: ExactString, in collection: ExactString) -> Digest {
    var hasher = Hasher()
    hasher.combine(collection)
    hasher.combine(id)
    // Another value: the bits of a row's digest are not those of its id's.
    var whole = hasher
    whole.combine(1)
    whole.combine(ExactString(text))
    return Digest(id: hasher.finalize(), row: whole.finalize())
  }

  /// The digests that stand in one and not in the other; both are in order.
  func differing(from other: RecordDigests) -> (here: [Digest], there: [Digest]) {
    var (here, there): ([Digest], [Digest]) = ([], [])
    var (mine, theirs) = (0, 0)
    while mine < rows.count || theirs < other.rows.count {
      if theirs == other.rows.count || mine < rows.count && rows[mine] < other.rows[theirs] {
        here.append(rows[mine])
        mine += 1
      } else if mine == rows.count || other.rows[theirs] < rows[mine] {
        there.append(other.rows[theirs])
        theirs += 1
      } else {
        (mine, theirs) = (mine + 1, theirs + 1)
      }
    }
    return (here, there)
  }
}
