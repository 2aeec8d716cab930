import Annals

/// What the options of a list ask for: a collection's records at some positions, cut and sorted by a request.
struct RecordView {
  let store: any EventStore
  let end: Position
  /// How much of the log's history was compacted.
  let compacted: CompactedHistory
  let request: FetchRequest<Record>
  private let prepared: PreparedRequest
  /// The events that were skipped.
  let strangers = Strangers()
  /// Nil in a log without collections: the list is empty.
  private(set) var collection: String?

  /// Opens a log.
  ///
  /// With `waits`, records may come later. Without it, a log that has events but no records is an error: its list would
  /// be empty, and you would not see why.
  init(_ session: Session, waits: Bool = false) throws {
    store = try session.openLog()
    (compacted, end) = try store.read { (try $0.revision().compacted, try $0.head()) }
    request = try Self.request(session.arguments)
    prepared = PreparedRequest(request)
    let (store, end, strangers) = (store, end, strangers)
    collection = try store.read {
      try Self.collection(session.arguments.value("--collection"), in: $0, through: end)
    }
    guard collection == nil, !waits else { return }
    try store.read { try $0.forEachEvent(through: end) { strangers.add($0) } }
    if !strangers.isEmpty { throw strangers.refusal(of: session.arguments.operands[0]) }
  }

  private static func request(_ arguments: Arguments) throws -> FetchRequest<Record> {
    var request = FetchRequest<Record>(
      limit: try arguments.number("--limit"), offset: try arguments.number("--offset") ?? 0)
    let filters = try arguments.all("--where").map { text in
      guard let filter = RecordFilter(text) else {
        throw ReplayError.usage(
          "--where: expected 'FIELD OP VALUE' with one of = != < <= > >= contains, found \"\(text)\"")
      }
      return filter
    }
    if !filters.isEmpty { request.filter = .where(nil) { record in filters.allSatisfy { $0.includes(record) } } }
    let names = arguments.all("--sort").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    request.sort = try names.map { name in
      let descends = name.hasPrefix("-")
      let field = ExactString(descends ? String(name.dropFirst()) : name)
      if field.text.isEmpty { throw ReplayError.usage("--sort: expected a field's name, found \"\(name)\"") }
      return descends ? .descending({ $0[field] }) : .ascending({ $0[field] })
    }
    if let name = arguments.value("--section-by") {
      if name.isEmpty { throw ReplayError.usage("--section-by: expected a field's name, found \"\"") }
      let field = ExactString(name)
      request.section = .by(RecordEvent.cut) { $0[field] }
    }
    return request
  }

  private static func collection(_ wanted: String?, in log: any EventLog, through end: Position) throws -> String? {
    var found: Set<ExactString> = []
    try log.forEachEvent(RecordEvent.query, through: end) { event in
      if let (collection, _) = try read(event) { found.insert(ExactString(collection)) }
    }
    if found.isEmpty { return nil }
    let names = found.sorted().map { JSONValue.quoted($0.text) }.joined(separator: ", ")
    guard let wanted else {
      if found.count == 1 { return found.first?.text }
      throw ReplayError.usage("the log has \(found.count) collections, say which with --collection: \(names)")
    }
    guard found.contains(ExactString(wanted)) else {
      throw ReplayError(.negative, "the log has no collection \(JSONValue.quoted(wanted)); it has \(names)")
    }
    return wanted
  }

  /// Shows an event's collection, if none is shown yet.
  mutating func adoptCollection(of event: StoredEvent) throws {
    if collection == nil, let (name, _) = try Self.read(event) { collection = name }
  }

  /// The list of rows at a position.
  ///
  /// It is faster if you pass the list before it.
  func list(
    _ rows: inout Rows<Record>, at position: Position, knowing known: Results<Record>? = nil
  ) -> Results<Record> {
    Results(prepared, of: &rows, at: position, knowing: known)
  }

  /// Folds an event.
  ///
  /// Returns whether it may have changed the list.
  func fold(_ event: StoredEvent, into rows: inout Rows<Record>) throws -> Bool {
    guard let (collection, record) = try Self.read(event) else {
      strangers.add(event)
      return false
    }
    guard let wanted = self.collection, ExactString(collection) == ExactString(wanted) else { return false }
    do {
      try record.apply(to: &rows, in: collection)
    } catch {
      throw Self.unreadable(event, error)
    }
    return true
  }

  private static func read(_ event: StoredEvent) throws -> (collection: String, event: RecordEvent)? {
    do {
      return try RecordEvent.read(type: event.type, payload: event.payload)
    } catch {
      throw unreadable(event, error)
    }
  }

  private static func unreadable(_ event: StoredEvent, _ error: any Error) -> ReplayError {
    ReplayError(.unreadable, "event \(event.position) of the log is no valid record event: \(error)")
  }
}
