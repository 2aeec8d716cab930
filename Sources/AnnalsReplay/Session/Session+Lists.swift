import Annals
import AnnalsLog

extension Session {
  /// What the options of a list ask for.
  func listOptions() throws -> ListOptions {
    var options = ListOptions()
    options.list = arguments.value("--list")
    options.knownLists = catalog.lists.map(\.name)
    options.limit = try arguments.number("--limit")
    options.conditions = try arguments.all("--where").map { try condition($0, of: "--where") }
    let names = arguments.all("--sort").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    options.sort = try names.map { name in
      let descends = name.hasPrefix("-")
      let field = descends ? String(name.dropFirst()) : name
      if field.isEmpty { throw ReplayError.usage("--sort: expected a field name, found \"\(name)\"") }
      return (FieldPath(field), descends)
    }
    if let name = arguments.value("--section-by") {
      if name.isEmpty { throw ReplayError.usage("--section-by: expected a field name, found \"\"") }
      options.section = FieldPath(name)
    }
    return options
  }

  /// A condition that an option gives.
  func condition(_ text: String, of name: String) throws -> RowCondition {
    do throws(FilterError) {
      let condition = try RowCondition(text)
      console.patterns.add(condition.patterns)
      return condition
    } catch {
      throw error.usage(name, text)
    }
  }

  /// Opens the list that the options name over a log; nil if the log is empty of what any list folds.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - end: The last position that is looked at.
  ///   - waits: True if events may come that a list folds: then a log without them is no error.
  ///   - silentThrough: The position to which you go before you print anything; nil if you may print at once.
  ///   - need: The parts of the list that the caller needs.
  ///   - index: The way in which the caller uses an index.
  /// - Returns: The list, at position 0.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func openList(
    _ log: LogExtent, through end: Position, waits: Bool = false, silentThrough: Position? = nil,
    need: ListNeed = .changes, index: IndexUse = .none
  ) throws -> (any ListReader)? {
    try openSource(log, through: end, waits: waits, silentThrough: silentThrough, need: need, index: index)?.reader
  }

  /// The same with the list's source, for those who also say what it does not fold.
  func openSource(
    _ log: LogExtent, through end: Position, waits: Bool = false, silentThrough: Position? = nil,
    need: ListNeed = .changes, index: IndexUse = .none
  ) throws -> (source: any ListSource, reader: any ListReader)? {
    var options = try listOptions()
    (options.silentThrough, options.need, options.index) = (silentThrough, need, index)
    guard let source = try source(options, in: log, waits: waits) else { return nil }
    return (source, try open(source, options, log, through: end, waits: waits))
  }

  /// Opens a list over a log, as the options suppose the log to be.
  func open(
    _ source: any ListSource, _ options: ListOptions, _ log: LogExtent, through end: Position, waits: Bool = false,
    without: [String]? = nil
  ) throws -> any ListReader {
    var options = options
    guard let supposition = try supposition(log, waits: waits, without: without) else {
      let indexed = try indexedList(source, options, log, through: end)
      return try indexed ?? source.open(log.store, options, through: end)
    }
    options.supposition = supposition
    return try source.open(supposition.store, options, through: end)
  }

  /// The list that options name, or the only one that folds events of a log.
  func source(_ options: ListOptions, in log: LogExtent, waits: Bool = false) throws -> (any ListSource)? {
    let types = try log.types()
    if let name = options.list {
      let source = try named(name, types, waits: waits)
      // A sample's list is never the default of a log with other events, but can be chosen by name.
      if !types.isEmpty, !waits, !source.folds(anyOf: types) {
        let others = catalog.lists(forTypes: types).map(\.name)
        let its = others.isEmpty ? "" : ". The lists of its events are \(others.joined(separator: ", "))"
        throw ReplayError.usage("--list: the log has no event of the list \(name)\(its)")
      }
      return source
    }
    let candidates = catalog.lists(forTypes: types)
    if candidates.count > 1 {
      let names = candidates.map(\.name).joined(separator: ", ")
      throw ReplayError.usage("the log has events of \(candidates.count) lists; choose one with --list: \(names)")
    }
    if let only = candidates.first { return only }
    if !types.isEmpty, !waits { throw try refusal(log) }
    // An empty log is an empty list, of the tool's first kind.
    return waits && !types.isEmpty ? nil : catalog.lists.first
  }

  /// The list with a name, or the list of records, which looks for a collection with the name.
  private func named(_ name: String, _ types: [String], waits: Bool) throws -> any ListSource {
    if let found = catalog.lists.first(where: { ExactString($0.name) == ExactString(name) }) { return found }
    let records = catalog.lists.first { $0 is RecordSource }
    if let records, waits || records.isMeant(forTypes: types) { return records }
    let names = catalog.lists.map(\.name)
    let nearest = Nearest.name(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "--list: \(tool) has no list \(JSONValue.quoted(name))\(nearest)\nits lists are \(names.joined(separator: ", "))")
  }

  /// Why a log has nothing that the tool can list.
  private func refusal(_ log: LogExtent) throws -> ReplayError {
    let strangers = Strangers()
    for type in try log.typeCounts(through: log.end) { strangers.add(type.name, type.events) }
    return strangers.refusal(of: arguments.operands[0], tool: tool, lists: catalog.lists.map(\.name))
  }

  /// Says which events a list of records leaves out, up to a position.
  func tellOfStrangers(_ source: (any ListSource)?, in log: LogExtent, through end: Position) throws {
    guard source == nil || source is RecordSource else { return }
    let others = try log.types().filter { !RecordEvent.types.contains($0) }
    if others.isEmpty { return }
    let strangers = Strangers()
    for type in try log.typeCounts(through: end) where !RecordEvent.types.contains(type.name) {
      strangers.add(type.name, type.events)
    }
    if let sentence = strangers.sentence(tool: tool) { say(Text.safe(sentence)) }
  }

  /// Reports the fields of options that no row has, neither of the rows that were read nor at the log's end.
  ///
  /// A field can be missing in all rows. But if it orders rows, or if the list is empty, a name near to another is more
  /// likely a mistake.
  ///
  /// - Parameters:
  ///   - reader: The list.
  ///   - log: The log.
  ///   - isEmpty: True if conditions leave out all rows.
  /// - Throws: ``ReplayError`` for a mistake, and for a condition that doesn't fit the values of the rows.
  func checkFields(_ reader: any ListReader, in log: LogExtent, isEmpty: Bool = false) throws {
    try reader.checkKinds()
    let unknown = reader.unknownFields
    if unknown.isEmpty { return }
    let rows = try records(log, at: log.end) { $0 }
    let names = Set(rows.flatMap { $0.members.map { ExactString($0.name) } }).sorted().map(\.text)
    for var field in unknown {
      let path = FieldPath(field.name)
      if rows.contains(where: { path.value(in: $0) != .null }) { continue }
      field.nearest = field.nearest ?? Nearest.name(to: field.name, among: names)
      if field.isOfOrder || isEmpty, field.nearest != nil { throw ReplayError.usage(field.sentence()) }
      say(Text.safe(field.sentence()))
    }
  }

  /// Returns the closure's values for the rows at a position, without conditions and limits.
  func records<T>(_ log: LogExtent, at end: Position, _ body: (Record) -> T?) throws -> [T] {
    var options = ListOptions()
    (options.list, options.knownLists) = (arguments.value("--list"), catalog.lists.map(\.name))
    guard let list = try list(options, log, at: end) else { return [] }
    return (0..<list.sectionCount).flatMap { index in
      (0..<list.section(index).count).compactMap { body(list.record(at: RowPath(section: index, row: $0))) }
    }
  }

  /// The list that options name at a position, or nil if the log has no list.
  func list(_ options: ListOptions, _ log: LogExtent, at end: Position) throws -> (any ShownList)? {
    guard let source = try source(options, in: log) else { return nil }
    let reader = try open(source, options, log, through: end)
    try saying(through: end.rawValue) { try reader.move(to: end) }
    return reader.list
  }
}

extension ReplayCatalog {
  /// The lists that a log with events of some stored types is for; those of samples only if there are no others.
  func lists(forTypes types: [String]) -> [any ListSource] {
    let found = lists.filter { $0.isMeant(forTypes: types) }
    let own = found.filter { !$0.isSample }
    return own.isEmpty ? found : own
  }
}

extension LogExtent {
  /// The stored types of the log's events.
  func types() throws -> [String] { try store.index.eventTypes() }

  /// How many events of each type the log has up to a position.
  func typeCounts(through position: Position) throws -> [TypeCount] { try store.index.typeCounts(through: position) }
}
