package import Annals
import AnnalsLog

/// What changed in a list between two positions, and which events did it.
package struct ListBatch: Sendable {
  /// The position of the list before.
  package let from: Position
  /// The position of the list after.
  package let to: Position
  /// What happened to sections.
  package var sections: [SectionChange]
  /// What happened to rows.
  package var rows: [RowStep]
  /// The lists before and after, which have the titles of the sections, or nil for a list without sections.
  package var lists: (old: any ShownList, new: any ShownList)?
  /// The events of the batch, in order; the first thousand of a longer one.
  package var events: [EventCause] = []
  /// How many events the batch has.
  package var eventCount = 0

  /// True if nothing changed.
  package var isEmpty: Bool { sections.isEmpty && rows.isEmpty }
  /// How many events of a batch are named at most.
  static var namedEvents: Int { 1_000 }

  /// The event of the batch at a position, if it is named.
  package func event(at position: Position) -> EventCause? { events.first { $0.position == position } }
}

/// What happened to a row, with the row as it was.
package struct RowStep: Sendable {
  /// What happened, in a table view's terms; the row is as it is afterwards, or as it was if it is gone.
  package let change: RowChange<Record>
  /// The row before, or nil if it was not there.
  package let old: Record?
  /// The row in one line, as the app writes it, or nil if it does not.
  package let line: String?
  /// The positions of the events that set the row, in order; none if only its neighbours changed.
  package var events: [Position] = []

  /// The fields that differ, by name; none for a row that came or went.
  package var changedFields: [(name: String, old: JSONValue, new: JSONValue)] {
    switch change {
    case .insert(_, _, false), .delete(_, _, _): []
    case .insert(let new, _, true), .move(let new, _, _, _), .update(let new, _, _):
      old.map { $0.difference(to: new) } ?? []
    }
  }
}

/// An event as the cause of a change.
package struct EventCause: Sendable {
  /// Where the event is in the log.
  package let position: Position
  /// The number of its append.
  package let transaction: Int
  /// When it happened, in microseconds since 1970.
  package let time: Int64
  /// Its stored type.
  package let type: String
  /// The number of its payload's schema.
  package let schema: Int
  /// Its stream.
  package let stream: StreamName
  /// Its number in the stream.
  package let version: Int
  /// Its identity.
  package let id: EventID
  /// What it says of itself beside its payload.
  package let metadata: Metadata
  /// The words by which it is found.
  package let tags: Set<EventTag>
  /// The id of the command that appended it, where the log knows one.
  package var command: String?
  /// What happened, in the words of the app or of the event's metadata, or nil if they have none.
  let sentence: String?

  /// The event's type, and its sentence if it has one.
  var names: [String] { [type] + (sentence.map { [$0] } ?? []) }

  /// - Parameters:
  ///   - event: The event as the log keeps it.
  ///   - sentence: What happened, in the words of the app, if it has some.
  package init(_ event: StoredEvent, sentence: String? = nil) {
    self.sentence = sentence ?? event.metadata.headline?.text
    (position, transaction, time) = (event.position, event.transaction, event.time.microseconds)
    (type, schema, stream, version) = (event.type, event.schema, event.stream, event.version)
    (id, metadata, tags) = (event.id, event.metadata, event.tags)
  }
}

extension [EventCause] {
  /// What happened, for people: the sentences of the events, or else their types.
  var headline: [String] {
    let sentences = Text.different(compactMap(\.sentence))
    let rest = sentences.count > 2 ? ["and \(sentences.count - 2) more"] : []
    return sentences.prefix(2) + rest + TextLines.counts(of: filter { $0.sentence == nil }.map(\.type))
  }
}

extension Metadata {
  /// The member with a sentence about the event, such as the subject of a commit, or a command's name in an undo menu.
  var headline: (name: String, text: String)? {
    let names = ["headline", "message", "undotitle", "subject", "title", "summary"]
    guard let name = names.first(where: { self[$0] != nil }) else { return nil }
    return self[name]?.split(whereSeparator: \.isNewline).first.map { (name, String($0)) }
  }
}

extension Record {
  /// The fields that differ in another version of the row, by name; a field that is missing is null.
  package func difference(to other: Record) -> [(name: String, old: JSONValue, new: JSONValue)] {
    let names = Set((members + other.members).map { ExactString($0.name) }).sorted()
    return names.compactMap { name in
      let (old, new) = (member(name), other.member(name))
      return old == new ? nil : (name.text, old, new)
    }
  }
}
