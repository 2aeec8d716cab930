import Annals
import AnnalsLog
import Foundation

extension Session {
  /// The folder of indexes, or `nil` if the log can have none.
  ///
  /// Personal values are in no index, not even in the order of rows, so that an erased value leaves no trace. A
  /// store without erasures may encrypt its events, so its log has no index either.
  private func indexFolder(_ log: LogExtent) -> IndexFolder? {
    guard log.end.rawValue < Int(UInt32.max), let folder = IndexFolder(console.environment),
      let revision = try? log.store.revision(), revision.erasures == 0,
      (try? log.store.erasing?.hasPersonalValues()) == false
    else { return nil }
    return folder
  }

  /// Opens a list of records with an index, which is read or made.
  ///
  /// Without the index, the list is the same, only slower.
  ///
  /// - Parameters:
  ///   - source: The list's source.
  ///   - options: The options of the list.
  ///   - log: The log.
  ///   - end: The last position that the caller looks at.
  /// - Returns: The list, or `nil` if an index can't help.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func indexedList(
    _ source: any ListSource, _ options: ListOptions, _ log: LogExtent, through end: Position
  ) throws -> (any ListReader)? {
    var options = options
    guard source is RecordSource, options.index != .none, options.conditions.isEmpty,
      end.rawValue >= console.indexFrom, let folder = indexFolder(log),
      // Before the first record, the list has no collection.
      try !log.store.events(RecordEvent.query, after: 0, through: end, limit: 1).isEmpty
    else { return nil }
    // The index is of all events, so the collections need not be looked for, and its rows have all fields.
    (options.silentThrough, options.need) = (log.end, .changes)
    guard let list = try? source.open(log.store, options, through: log.end) as? ControllerReader<RecordProjection>,
      !list.isWaiting
    else { return nil }
    let index: ListIndex? = try index(
      list.indexShape(options), of: log, in: folder, makes: options.index == .made
    ) {
      try list.makeIndex(options, through: log.end, stamp: $0, progress: $1)
    }
    guard let index else { return nil }
    list.use(index, distance: min(128, console.indexFrom))
    return list
  }

  /// Returns the index of the strings by which events belong together, or `nil` if the log can have none.
  func mentionIndex(_ log: LogExtent) throws -> MentionIndex? {
    guard log.end.rawValue >= console.indexFrom, let folder = indexFolder(log) else { return nil }
    return try index(IndexHash.of("mentions"), of: log, in: folder, makes: true) {
      try MentionIndex(log.store, through: log.end, stamp: $0, progress: $1)
    }
  }

  /// Reads or makes an index.
  private func index<Index: SavedIndex>(
    _ shape: UInt64, of log: LogExtent, in folder: IndexFolder, makes: Bool,
    _ make: (_ stamp: UInt64, _ progress: (Position) throws -> Void) throws -> Index?
  ) throws -> Index? {
    let key = Self.indexKey(log.store)
    if let bytes = folder.read(log: key, shape: shape), let index = try? Index(bytes), index.end <= log.end,
      log.end.rawValue - index.end.rawValue <= Self.indexTail, try indexStamp(log.store, index.end) == index.stamp
    {
      return index
    }
    guard makes else { return nil }
    let progress = Progress(console)
    defer { progress.end() }
    let stamp = try indexStamp(log.store, log.end)
    let made = try make(stamp) { progress.step($0.rawValue, of: log.end.rawValue, "events", doing: "making an index") }
    // The log may have been rewritten in the meantime.
    guard let made, try indexStamp(log.store, log.end) == stamp else { return nil }
    folder.write(made.bytes, log: key, shape: shape)
    return made
  }

  /// The maximum number of events after an index, which is made once more for a longer log.
  private static var indexTail: Int { 200 }

  private static func indexKey(_ store: any EventStore) -> UInt64 { IndexHash.of(store.source, store.index.file) }

  /// A hash of the log's identity and history, and of some of its events up to a position.
  private func indexStamp(_ store: any EventStore, _ end: Position) throws -> UInt64 {
    try store.read { log in
      let revision = try log.revision()
      var hash = IndexHash()
      hash.add("\(Self.annalsVersion) \(store.source) \(revision.compacted.count) \(revision.compacted.horizon)")
      for part in 1...16 {
        let position = Position(end.rawValue * part / 16)
        guard let event = try log.event(at: position) else { continue }
        hash.add("\(position) \(event.transaction) \(event.time.microseconds) \(event.id.source) \(event.id.id)")
        hash.add("\(event.type) \(event.payload ?? "")")
      }
      return hash.value
    }
  }

  /// The size in bytes of the indexes of a log.
  func indexBytes(of store: any EventStore) -> Int {
    IndexFolder(console.environment)?.size(log: Self.indexKey(store)) ?? 0
  }

  /// Deletes the indexes of a log whose events are about to change.
  func deleteIndexes(of store: any EventStore) {
    IndexFolder(console.environment)?.remove(log: Self.indexKey(store))
  }
}

extension ListReader {
  /// The index that the list uses, or `nil`.
  var index: ListIndex? { (self as? ControllerReader<RecordProjection>)?.indexed?.index }
}

extension ControllerReader<RecordProjection> {
  /// A hash of everything on which the places of rows depend, except for the events.
  fileprivate func indexShape(_ options: ListOptions) -> UInt64 {
    IndexHash.of(
      projection.collection, "\(projection.isOnly)", options.section.map { "by \($0.text)" } ?? "",
      options.sort.map { "\($0.descends) \($0.field.text)" }.joined(separator: "\n"), orderVersion)
  }

  /// Makes an index in one pass over the events, or returns `nil` if the list can have none.
  ///
  /// An event that can't be applied is reported by the list itself.
  fileprivate func makeIndex(
    _ options: ListOptions, through end: Position, stamp: UInt64, progress: (Position) throws -> Void
  ) throws -> ListIndex? {
    let fields = Set(options.fields.flatMap(\.fieldNames))
    var partial = projection
    partial.fields = fields
    let builder = ListIndexBuilder(PreparedRequest(request), fields: fields)
    do {
      _ = try RowHistory(
        of: "", in: IndexingProjection(base: partial, builder: builder), store, through: end, progress: progress)
    } catch is ProjectionError {
      return nil
    } catch let error as EventStoreError where error.code == .rewritten {
      return nil
    }
    return builder.index(through: end, stamp: stamp)
  }
}
