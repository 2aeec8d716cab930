package import Annals

/// The records of a log, collection by collection, for a tool that shows logs of records.
///
/// `Docs/Tool.md` says what records are.
public struct ReplayRecords: ReplayPart {
  /// Creates the part.
  public init() {}

  /// Adds the lists of records to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  public func register(in catalog: inout ReplayCatalog) { catalog.lists.append(RecordSource()) }
}

/// The list of a collection of records.
package struct RecordSource: ListSource {
  package var name: String { "records" }

  package func isMeant(forTypes types: [String]) -> Bool { types.contains { RecordEvent.types.contains($0) } }

  package func open(
    _ store: any EventStore, _ options: ListOptions, through end: Position
  ) throws -> any ListReader {
    let collection = try collection(options, in: store, through: end)
    var options = options
    // A section's title holds whatever field the rows are cut by.
    let section = options.section
    options.section = nil
    var request = FetchRequest<Record>()
    if let section { request.section = .by(RecordEvent.cut) { section.value(in: $0) } }
    options.watched = section.map { [$0] } ?? []
    func open<P: Projection>(
      _ projection: P, _ store: some EventStore, _ history: RowHistorySearch? = nil
    ) throws -> any ListReader where P.Row == Record {
      try ControllerReader(
        collection ?? name, projection, request, RowReading(), of: store, options, isWaiting: collection == nil,
        history: history,
        explain: { .invalidRecord(at: $0.event.position, $0.underlying) })
    }
    let projection = RecordProjection(collection: collection ?? "")
    guard let supposition = options.supposition else {
      return try open(projection, store, collection.map { RecordHistory(store: store, collection: $0).steps })
    }
    return try open(TolerantProjection(projection, supposition), store)
  }

  /// The collection to show; nil in a log without records.
  private func collection(_ options: ListOptions, in store: any EventStore, through end: Position) throws -> String? {
    let found = try Self.collections(in: store, through: end, under: options.supposition)
    guard let wanted = options.collection else {
      if found.count < 2 { return found.first }
      throw ReplayError.usage(
        "the log has \(found.count) collections, say which with --collection: \(Self.list(found))")
    }
    func has(_ names: [String]) -> Bool { names.contains { ExactString($0) == ExactString(wanted) } }
    if has(found) { return wanted }
    // It may begin later: then its list is empty here.
    let all = try Self.collections(in: store, through: store.head(), under: options.supposition)
    // Under a supposition all its events may be hidden.
    if all.isEmpty || has(all) || options.supposition != nil { return wanted }
    throw ReplayError(
      .negative, "the log has no collection \(JSONValue.quoted(wanted)); it has \(Self.list(all))")
  }

  private static func list(_ names: [String]) -> String {
    names.map { JSONValue.quoted($0) }.joined(separator: ", ")
  }

  /// The names of the collections of a log up to a position, in order.
  ///
  /// Payloads that begin as the one before are not read: mostly all of a log's records are of one collection.
  package static func collections(
    in store: any EventStore, through end: Position, under supposition: Supposition? = nil
  ) throws -> [String] {
    var found: Set<ExactString> = []
    var begin: [UInt8] = []
    try store.forEachBatch(through: end) { batch in
      for index in 0..<batch.count where RecordEvent.types.contains(batch.type(at: index)) {
        let isKnown = batch.withPayload(at: index) { payload in
          payload.map { !begin.isEmpty && $0.starts(with: begin) } ?? true
        }
        if isKnown { continue }
        let event = batch.event(at: index)
        do {
          guard let (collection, _) = try RecordEvent.read(type: event.type, payload: event.payload) else { continue }
          found.insert(ExactString(collection))
          begin = Array("{\"collection\":\(JSONValue.quoted(collection)),".utf8)
        } catch {
          if let found = supposition?.explain(error, at: event) { throw found }
          throw ReplayError.invalidRecord(at: event.position, error)
        }
      }
    }
    return found.sorted().map(\.text)
  }

  package func problem(
    in store: any EventStore, progress: (Position) -> Void
  ) throws -> (position: Position, message: String)? {
    var records = RecordCollections()
    var found: (Position, String)?
    try store.forEachEvent(RecordEvent.query) { event in
      guard found == nil else { return }
      do {
        try records.apply(type: event.type, payload: event.payload)
      } catch {
        found = (event.position, "is no valid record event: \(error)")
      }
      progress(event.position)
    }
    return found
  }
}
