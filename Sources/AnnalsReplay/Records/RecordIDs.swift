import Annals
import AnnalsLog

/// The ids of the records of every collection: all that tells whether a record event is valid.
///
/// It takes a fraction of the time and the memory that the rows take.
struct RecordIDs {
  private var ids: [ExactString: Set<ExactString>] = [:]

  /// Takes an event.
  ///
  /// An event of another domain is valid, and changes nothing.
  ///
  /// - Parameters:
  ///   - type: The event's type.
  ///   - payload: Its payload.
  /// - Throws: ``RecordEvent/Problem`` if the event is no valid record event, as when the rows are folded.
  mutating func apply(type: String, payload: String?) throws {
    try apply(Reading(type: type, payload: payload), type: type, payload: payload)
  }

  /// Takes an event that was read before, perhaps by another thread.
  ///
  /// - Parameters:
  ///   - reading: What the event says of a record.
  ///   - type: The event's type.
  ///   - payload: Its payload.
  /// - Throws: ``RecordEvent/Problem`` if the event is no valid record event, as when the rows are folded.
  mutating func apply(_ reading: Reading, type: String, payload: @autoclosure () -> String?) throws {
    let isDone =
      switch reading {
      case .stranger: true
      case .unclear: false
      case .inserted(let collection, let id): ids[collection, default: []].insert(id).inserted
      case .updated(let collection, let id): ids[collection]?.contains(id) ?? false
      case .deleted(let collection, let id): ids[collection]?.remove(id) != nil
      }
    if !isDone { try applySlowly(type, payload()) }
  }

  /// Reads the whole event, and finds the words for what is wrong with it.
  private mutating func applySlowly(_ type: String, _ payload: String?) throws {
    guard let (collection, event) = try RecordEvent.read(type: type, payload: payload) else { return }
    let name = ExactString(collection)
    var rows = Rows<Record>()
    switch event {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id):
      let key = ExactString(id)
      if ids[name]?.contains(key) ?? false { rows.insert(Record(id: id)) }
      try event.apply(to: &rows, in: collection)
      if rows[id] == nil { ids[name]?.remove(key) } else { ids[name, default: []].insert(key) }
    case .sectionRenamed: break
    }
  }

  /// What an event says of a record, as far as the event alone tells.
  enum Reading: Sendable {
    /// An event of another domain.
    case stranger
    /// An event that needs a closer look.
    case unclear
    case inserted(collection: ExactString, id: ExactString)
    case updated(collection: ExactString, id: ExactString)
    case deleted(collection: ExactString, id: ExactString)

    init(type: String, payload: String?) {
      let reader = JSON.MemberReader()
      guard var payload else {
        self.init(type: type, payload: nil, reader: reader)
        return
      }
      self = payload.withUTF8 { Self(type: type, payload: UnsafeRawBufferPointer($0), reader: reader) }
    }

    /// Reads an event of a batch, without creating its other values.
    init(type: String, payload: UnsafeRawBufferPointer?, reader: JSON.MemberReader) {
      // No other text equals these, in any spelling: they are ASCII.
      switch type {
      case "RecordInserted", "RecordUpdated", "RecordDeleted", "SectionRenamed": break
      default:
        self = .stranger
        return
      }
      self = .unclear
      // A deletion needs no fields.
      guard type != "SectionRenamed", let payload, reader.load(payload), let collection = reader.string("collection"),
        let id = reader.string("id"), type == "RecordDeleted" || reader.isObject("fields")
      else { return }
      let (name, key) = (ExactString(collection), ExactString(id))
      self =
        switch type {
        case "RecordInserted": .inserted(collection: name, id: key)
        case "RecordUpdated": .updated(collection: name, id: key)
        default: .deleted(collection: name, id: key)
        }
    }
  }
}
