package import Annals
import AnnalsLog

/// A ``ReplayTool`` component that shows logs of records, with one list per collection of records.
///
/// A record is a row with an id and JSON fields. `Docs/ToolReference.md` describes the events that insert, change and
/// delete records.
public struct ReplayRecords: ReplayPart {
  /// Creates the component.
  public init() {}

  /// Adds the lists of records to a tool's catalog, so that the tool can show them.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) { catalog.lists.append(RecordSource()) }
}

/// The list of a collection of records.
package struct RecordSource: ListSource {
  package var name: String { "records" }

  package func isMeant(forTypes types: [String]) -> Bool { types.contains { RecordEvent.types.contains($0) } }

  package func open(
    _ store: any EventStore, _ options: ListOptions, through end: Position
  ) throws -> any ListReader {
    let (collection, isOnly) = try collection(options, in: store, through: end)
    var options = options
    let use = options.newUse
    options.use = use
    let isPartial = options.need == .places && options.supposition == nil
    // People know a file of a git repository by its path, and any other row by its id: f2 is before f10.
    let order = options.sort.isEmpty && collection == "file" ? [ExactString("path")] : []
    let fields = isPartial ? Set(options.fields.flatMap(\.fieldNames) + order) : nil
    // A section's title holds whatever field the rows are cut by.
    var request = ListRequest<Record>(
      sort: [.ascending { row in order.isEmpty ? Text.naturalKey(row.id) : row[order[0]].string ?? "" }])
    if let section = options.section {
      request.section = .by(RecordEvent.cut) { record in
        use.note(record)
        return section.value(in: record)
      }
    }
    options.section = nil
    func open<P: Projection>(
      _ projection: P, _ store: some EventStore, _ history: RowHistorySearch? = nil
    ) throws -> any ListReader where P.Row == Record {
      try ControllerReader(
        collection ?? name, projection, request, RowReading(), of: store, options, isWaiting: collection == nil,
        isPartial: isPartial, history: history,
        explain: { error in
          guard error.underlying is OtherCollection else {
            return .invalidRecord(at: error.event.position, error.underlying)
          }
          return Self.ambiguous(in: store, through: end)
        })
    }
    let projection = RecordProjection(collection: collection ?? "", isOnly: isOnly, fields: fields)
    guard let supposition = options.supposition else {
      let history = collection.map { RecordHistory(store: store, collection: $0, isOnly: isOnly) }
      return try open(
        projection, store,
        history.map { history in
          { ids, end, progress in
            do {
              return try history.steps(of: ids, through: end, progress)
            } catch is OtherCollection {
              throw Self.ambiguous(in: store, through: end)
            }
          }
        })
    }
    return try open(TolerantProjection(projection, supposition), store)
  }

  /// The collection to show, nil in a log without records; and true if it still has to be seen whether it is the only
  /// one.
  private func collection(
    _ options: ListOptions, in store: any EventStore, through end: Position
  ) throws -> (name: String?, isOnly: Bool) {
    // The name of this source is not a choice, unless a collection has the same name.
    let isChosen = options.list.map { ExactString($0) != ExactString(name) } ?? false
    if options.list == nil, options.supposition == nil, let silent = options.silentThrough, silent > 0,
      let first = try Self.firstCollection(in: store, through: silent)
    {
      // What is folded up to there before anything is printed need not be read twice.
      let later = try Self.collections(in: store, after: silent, through: end)
      if later.contains(where: { ExactString($0) != ExactString(first) }) {
        throw Self.ambiguous(in: store, through: end)
      }
      return (first, true)
    }
    let found = try Self.collections(in: store, through: end, under: options.supposition)
    func has(_ names: [String]) -> Bool { names.contains { ExactString($0) == options.list.map { ExactString($0) } } }
    guard let wanted = options.list, isChosen || has(found) else {
      if found.count < 2 { return (found.first, false) }
      throw Self.ambiguous(found)
    }
    if has(found) { return (wanted, false) }
    // It may begin later: then its list is empty here.
    let all = try Self.collections(in: store, through: store.head(), under: options.supposition)
    // Under a supposition all its events may be hidden.
    if all.isEmpty || has(all) || options.supposition != nil { return (wanted, false) }
    let nearest = Nearest.name(to: wanted, among: all + options.knownLists).map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "the log has no list or collection \(JSONValue.quoted(wanted)). It has \(Self.list(all))\(nearest)")
  }

  /// The collection of the first record; nil if it cannot be read, or if there is none.
  private static func firstCollection(in store: any EventStore, through end: Position) throws -> String? {
    guard let event = try store.events(RecordEvent.query, after: 0, through: end, limit: 1).first else { return nil }
    return (try? RecordEvent.read(type: event.type, payload: event.payload))?.collection
  }

  private static func ambiguous(_ names: [String]) -> ReplayError {
    .usage("the log has \(names.count) collections; choose one with --list: \(list(names))")
  }

  /// The error of a log with several collections, which are looked for.
  private static func ambiguous(in store: any EventStore, through end: Position) -> ReplayError {
    do {
      return ambiguous(try collections(in: store, through: end))
    } catch let error as ReplayError {
      return error
    } catch {
      return ReplayError(.inputOutput, "\(error)")
    }
  }

  /// How payloads of a collection begin, as JSON writes them at their shortest.
  static func begin(ofPayloadsIn collection: String) -> [UInt8] {
    Array("{\"collection\":\(JSONValue.quoted(collection)),".utf8)
  }

  private static func list(_ names: [String]) -> String {
    names.map { JSONValue.quoted($0) }.joined(separator: ", ")
  }

  /// The names of the collections of a log from one position up to another, in order.
  ///
  /// Payloads that begin as the one before are not read: mostly all of a log's records are of one collection.
  package static func collections(
    in store: any EventStore, after start: Position = 0, through end: Position, under supposition: Supposition? = nil
  ) throws -> [String] {
    var found: Set<ExactString> = []
    var begin: [UInt8] = []
    try store.forEachBatch(after: start, through: end) { batch in
      for index in 0..<batch.count where RecordEvent.types.contains(batch.type(at: index)) {
        let isKnown = batch.withPayload(at: index) { payload in
          payload.map { !begin.isEmpty && $0.starts(with: begin) } ?? true
        }
        if isKnown { continue }
        let event = batch.event(at: index)
        do {
          guard let (collection, _) = try RecordEvent.read(type: event.type, payload: event.payload) else { continue }
          found.insert(ExactString(collection))
          begin = Self.begin(ofPayloadsIn: collection)
        } catch {
          if let found = supposition?.explain(error, at: event) { throw found }
          throw ReplayError.invalidRecord(at: event.position, error)
        }
      }
    }
    return found.sorted().map(\.text)
  }

  package func check() throws -> any ListCheck { RecordCheck() }
}

/// A check of whether the events of records can be applied, which keeps only the records' ids.
///
/// A JSON value of every payload took 46% of the instructions of `annals verify`.
private struct RecordCheck: ListCheck {
  private(set) var problem: (position: Position, message: String)?
  private var records = RecordIDs()
  private let reader = JSON.MemberReader()

  mutating func apply(_ batch: EventBatch) throws {
    for index in 0..<batch.count where problem == nil {
      let type = batch.type(at: index)
      let reading = batch.withPayload(at: index) { RecordIDs.Reading(type: type, payload: $0, reader: reader) }
      if case .stranger = reading { continue }
      do {
        try records.apply(reading, type: type, payload: batch.payload(at: index))
      } catch {
        problem = (Position(batch.numbers(at: index).position), "this record event isn't valid: \(error)")
      }
    }
  }
}
