import AnnalsLog
import Foundation

/// An append with all data that the caller's thread can prepare before it waits for the write lock.
struct PreparedAppend: Sendable {
  /// An event whose position is not known yet.
  struct Event: Sendable {
    /// The index of the event's stream in `streams`.
    let stream: Int
    var id: EventID
    /// True if the app passed the event's identity, and false if the store created it.
    let hasOwnID: Bool
    /// True if the store may replace the id, because the app neither created the id nor has received it.
    var isReplaceable = false
    let type: String
    let schema: Int
    /// The event's time in microseconds since 1970.
    let time: Int64
    let tags: [EventTag]
    let tagText: String
    /// The payload without the values of its personal fields.
    let payload: String?
    let personal: [PersonalField]
    let metadataText: String

    /// Returns the checksum that the event has at a position.
    func checksum(position: Int, transaction: Int, stream: StreamName, version: Int) -> UInt32 {
      EventChecksum.of(
        position: position, transaction: transaction, stream: stream.text, version: version, type: type, schema: schema,
        source: id.source, id: id.id, time: time, tagText: tagText, payload: payload, metadataText: metadataText)
    }
  }

  let events: [Event]
  let expectations: [(stream: StreamName, expected: ExpectedVersion)]
  var conditions: [Append.Condition]
  let commandID: String?
  /// The append itself, which is compared with the stored receipt of its command id, or `nil` without a command id.
  let identified: Append?
  /// Further conditions: the required revision of the log, and the required position of a checkpoint.
  let revision: LogRevision?
  let checkpoint: CheckpointDemand?
  /// The distinct streams whose versions are in the receipt.
  let streams: [StreamName]
  /// The time at which the append was created, in microseconds since 1970.
  let time: Int64

  init(_ append: Append, source: String, environment: StoreEnvironment) throws {
    try append.validate()
    let cut = try append.cutPersonalFields()
    let now = environment.now()
    var streams: [StreamName] = []
    var places: [StreamName: Int] = [:]
    func place(_ stream: StreamName) -> Int {
      if let last = streams.last, last == stream { return streams.count - 1 }
      if let place = places[stream] { return place }
      places[stream] = streams.count
      streams.append(stream)
      return streams.count - 1
    }
    // The events of an append usually have the same metadata.
    var last: (metadata: Metadata, text: String) = ([:], "{}")
    var events: [Event] = []
    events.reserveCapacity(append.entries.count)
    for (index, entry) in append.entries.enumerated() {
      let event = entry.event
      if event.metadata != last.metadata { last = (event.metadata, event.metadata.json) }
      let tags = event.tags.isEmpty ? [] : event.tags.sorted()
      events.append(
        Event(
          stream: place(entry.stream), id: event.id ?? EventID(source: source, id: environment.makeID()),
          hasOwnID: event.id != nil, isReplaceable: event.id == nil && environment.makesOrderedIDs, type: event.type,
          schema: event.schema, time: (event.time ?? now).microseconds,
          tags: tags, tagText: EventChecksum.tagText(tags), payload: cut[index]?.payload,
          personal: cut[index]?.fields ?? [], metadataText: last.text))
    }
    self.events = events
    expectations = append.expectations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    conditions = append.conditions
    commandID = append.commandID
    revision = append.revision
    checkpoint = append.checkpoint
    identified = append.commandID == nil && append.endingDraft == nil ? nil : append
    for (stream, _) in expectations { _ = place(stream) }
    self.streams = streams
    time = now.microseconds
  }
}
