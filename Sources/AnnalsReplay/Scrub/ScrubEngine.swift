import Annals
import AnnalsLog

/// Reads the log for the screen, on one thread at a time.
///
/// The events of a position are read in milliseconds, but a list of a million events takes seconds. So ``show(_:)``
/// returns a position without its list if the list isn't there soon, and ``readList()`` reads the list afterwards.
final class ScrubEngine {
  /// The error of a task that was cancelled.
  struct Cancelled: Error {}
  /// The error of a list that takes longer than a key may wait.
  private struct Unfinished: Error {}

  /// An opened list, and the shown position.
  private struct State {
    var setting = ScrubSetting()
    var opening = 0
    /// Where the comparison begins, nil to show the changes of the last transaction or event.
    var since: Position?
    /// True to show the changes by the last event instead of the whole transaction.
    var isOfEvent = false
    var reader: (any ListReader)?
    /// The position through which the reader has read, wherever it is now.
    var farthest: Position = 0
    var shown: ScrubPosition?
  }

  let session: Session
  /// True if the task is to end.
  ///
  /// Long tasks call it often.
  var isCancelled: () -> Bool = { false }
  /// Takes the positions that long tasks reach.
  var said: (Position) -> Void = { _ in }

  private(set) var log: LogExtent
  /// The revision of the list.
  private var revision: LogRevision
  private var state = State()
  /// The last state whose list could be read.
  private var readable: State?
  /// The number of seconds after which a position is shown without its list.
  var patience = 0.1
  /// The number of events that are read without a look at the keys.
  ///
  /// It adapts to the speed of the list.
  private var chunk = 4_096
  /// The histories that were read, until the log grows.
  var histories: [String: ScrubHistory] = [:]
  /// Messages about places, such as the position of a time.
  let notes = ScrubNotes()
  private let commands: CommandNames
  /// The subcommand that writes a page.
  let timeline: Subcommand

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - session: The arguments and the console.
  ///   - timeline: The subcommand that writes a page.
  /// - Throws: The errors of opening the log.
  init(_ session: Session, timeline: Subcommand) throws {
    self.timeline = timeline
    log = try LogExtent(session.openStore())
    revision = try log.store.revision()
    commands = CommandNames(log.store)
    var console = session.console
    console.talk = { [notes] in notes.text += $0 }
    // A bar of progress is no note.
    console.talkIsTerminal = false
    console.progress = .none
    // The screen has its own way to end at a signal, which restores the terminal.
    console.willRead = {}
    self.session = Session(
      tool: session.tool, version: session.version, catalog: session.catalog, console: console,
      arguments: session.arguments, output: session.output)
  }

  var shown: ScrubPosition? { state.shown }
  var position: Position { state.shown?.position ?? 0 }
  var setting: ScrubSetting { state.setting }

  /// Performs a request, first on the log as it is now if the log was rewritten.
  func answer(_ request: ScrubRequest) -> ScrubAnswer {
    notes.text = ""
    do {
      if state.shown != nil, try log.store.revision() != revision {
        return .moved(
          try reopen(), note: "the log was compacted, or something was erased from it; this is how it is now")
      }
      return try request.perform(self)
    } catch is Cancelled {
      return .cancelled
    } catch {
      return .failed(Self.replayError(error))
    }
  }

  private static func replayError(_ error: any Error) -> ReplayError {
    switch error {
    case let error as ReplayError: error
    case let error as EventStoreError: ReplayError(error)
    default: ReplayError(.inputOutput, "\(error)")
    }
  }

  private func reopen() throws -> ScrubPosition {
    let extent = try LogExtent(log.store)
    let position = min(position, extent.end)
    let place = extent.compacted.shows(position) ? position : extent.compacted.horizon
    do {
      return try open(setting, at: place)
    } catch is ReplayError where setting.without?.isEmpty == false {
      // The left-out events may have been compacted away.
      var setting = setting
      setting.without = []
      return try open(setting, at: place)
    }
  }

  /// Opens the list at a position.
  ///
  /// If it can't be shown there, the call throws the reason, and the list stays unchanged.
  ///
  /// - Parameters:
  ///   - setting: The list.
  ///   - position: The position, or nil for the shown position, or for the last one if none is shown.
  ///   - keepsBatch: True to show the changes since the same mark, or by the same event, as before.
  /// - Returns: The position.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func open(_ setting: ScrubSetting, at position: Position?, keepsBatch: Bool = false) throws -> ScrubPosition {
    let before = (state, histories)
    do {
      log = try LogExtent(log.store)
      revision = try log.store.revision()
      state = State(setting: setting, opening: state.opening + 1, since: keepsBatch ? state.since : nil)
      histories = [:]
      // An option that can't be meant is an error before anything else changes.
      if before.0.shown != nil { _ = try reader }
      return try show(
        position ?? before.0.shown?.position ?? log.end, isEvent: keepsBatch && before.0.isOfEvent)
    } catch {
      (state, histories) = before
      throw error
    }
  }

  /// The opened list.
  var reader: any ListReader { get throws { try reader(readingTo: position) } }

  /// The opened list.
  ///
  /// - Parameter position: The first position to which it will be read. Up to there, the events are read only once.
  /// - Returns: The list.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  private func reader(readingTo position: Position) throws -> any ListReader {
    if let reader = state.reader { return reader }
    let setting = state.setting
    var options = try session.listOptions()
    options.silentThrough = position
    if let list = setting.list { options.list = list }
    if let sort = setting.sort { options.sort = [(FieldPath(sort), setting.descends)] }
    if let section = setting.section { options.section = FieldPath(section) }
    options.index = .made
    guard let source = try session.source(options, in: log) else {
      throw ReplayError(.negative, "\(session.tool) has no list to show")
    }
    let reader = try session.open(source, options, log, through: log.end, without: setting.without)
    reader.keepPast()
    state.reader = reader
    return reader
  }

  /// Moves the opened list to a position.
  ///
  /// This is the only function that reads far: a list that was kept at a position on the way can be taken here.
  ///
  /// - Parameters:
  ///   - position: A position that the log has.
  ///   - patience: The number of seconds after which an unfinished list is left where it is.
  /// - Throws: `Unfinished`, ``Cancelled``, ``ReplayError``, `EventStoreError`.
  private func read(to position: Position, patience: Double) throws {
    let start = Console.seconds()
    // Opening a list can read the log to see which collections it has.
    if state.reader == nil, patience.isFinite, log.end.rawValue > 20_000 { throw Unfinished() }
    let reader = try reader(readingTo: position)
    // An index leads to the position directly, but on the way it would read each row once for each part.
    while reader.index == nil, state.farthest < position {
      try reach(state.farthest)
      let begin = Console.seconds()
      if begin - start > patience { throw Unfinished() }
      var next = min(position, Position(state.farthest.rawValue + chunk))
      if !log.compacted.shows(next) { next = log.compacted.horizon }
      try reader.move(to: next)
      state.farthest = next
      let seconds = Console.seconds() - begin
      if seconds < 0.03 { chunk *= 2 } else if seconds > 0.1 { chunk = max(256, chunk / 2) }
    }
    try reader.move(to: position)
    state.farthest = max(state.farthest, position)
  }

  /// Moves the opened list to a position, however long it takes.
  func read(to position: Position) throws { try read(to: position, patience: .infinity) }

  /// Moves the opened list to a position near the present one, and returns the changes.
  func go(to position: Position) throws -> ListBatch {
    try reach(position)
    let batch = try reader.go(to: position)
    state.farthest = max(state.farthest, position)
    return batch
  }

  /// Moves to the last position that the log has now.
  func goToEnd() throws -> ScrubPosition {
    let end = log.end
    log = try LogExtent(log.store)
    if log.end != end { histories = [:] }
    if let shown = state.shown, shown.position == log.end, log.end == end { return shown }
    return try show(log.end)
  }

  /// Compares with a mark, or stops comparing.
  func compare(since: Position?) throws -> ScrubPosition {
    state.since = since
    return try show(position)
  }

  func step(_ step: ScrubStep) throws -> ScrubPosition {
    switch step {
    case .transactions(let count):
      return try show(TransactionSteps(log: log, check: { try self.check() }).position(count, from: position))
    case .events(let count):
      var wanted = min(max(0, position.rawValue + count), log.end.rawValue)
      let horizon = log.compacted.horizon.rawValue
      if wanted < horizon { wanted = count < 0 ? 0 : min(horizon, log.end.rawValue) }
      return try show(Position(wanted), isEvent: true)
    }
  }

  /// Ends the task if it was cancelled.
  func check() throws { if isCancelled() { throw Cancelled() } }

  /// Reports the reached position, and ends the task if it was cancelled.
  func reach(_ position: Position) throws {
    try check()
    said(position)
  }

  /// Moves to a position, and finds the changes that produced its list.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isEvent: True for the changes by the last event, instead of the whole transaction.
  ///   - patience: The number of seconds after which the position is returned without its list, nil for the usual one.
  /// - Returns: The position.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func show(_ position: Position, isEvent: Bool = false, patience: Double? = nil) throws -> ScrubPosition {
    let event = try log.event(at: position)
    var from = position
    if let since = state.since, since <= log.end {
      from = since
    } else if let event {
      from = isEvent ? position.before : try log.store.index.transaction(of: event).lowerBound.before
    }
    if !log.compacted.shows(from) { from = 0 }
    let (first, last) = (min(from, position), max(from, position))
    let distance = last.rawValue - first.rawValue
    // Between distant positions the events are counted, but not named.
    let namesEvents = 1...2_000 ~= distance
    var shown = ScrubPosition(
      position: position, end: log.end, batch: ListBatch(from: from, to: position, sections: [], rows: []),
      events: distance == 0 ? [] : try log.store.events(.all, after: first, through: last, limit: 64),
      time: event.map(\.time.microseconds), since: state.since, setting: setting, opening: state.opening)
    if namesEvents { shown.batch.events = shown.events.map(session.catalog.cause) }
    do {
      try read(to: namesEvents ? from : last, patience: patience ?? self.patience)
      let reader = try reader
      try reader.move(to: from)
      shown.batch = try go(to: position)
      if namesEvents { shown.batch = try reader.attribute(shown.batch) }
      shown.list = ScrubPosition.List(
        rows: reader.list, name: reader.name + (reader.supposition.map { " \($0.words)" } ?? ""),
        isSectioned: reader.isSectioned)
      if let supposition = reader.supposition { try mark(&shown, supposition) }
    } catch is Unfinished {}
    shown.batch = try commands.naming(shown.batch)
    if !namesEvents || shown.list == nil { shown.batch.eventCount = distance }
    state.shown = shown
    state.isOfEvent = isEvent
    if shown.list != nil { readable = state }
    return shown
  }

  /// Reads the list of the shown position, however long it takes.
  ///
  /// - Returns: The position with its list, or an error and the last position whose list could be read.
  /// - Throws: ``Cancelled`` with the events so far kept, and ``ReplayError`` if no list could be read yet.
  func readList() throws -> ScrubAnswer {
    do {
      return .moved(try show(position, isEvent: state.isOfEvent, patience: .infinity))
    } catch let error where !(error is Cancelled) {
      guard let readable else { throw error }
      state = readable
      return .failed(Self.replayError(error), backTo: readable.shown)
    }
  }

  /// The lists whose events the log has, and its collections of records.
  func lists() throws -> [ScrubSetting] {
    let types = try log.types()
    return try session.catalog.lists.filter { $0.isMeant(forTypes: types) }.flatMap { source in
      guard source is RecordSource else { return [ScrubSetting(list: source.name)] }
      return try RecordSource.collections(in: log.store, through: log.end).map { ScrubSetting(list: $0) }
    }
  }
}

/// Collects messages while a place is looked up.
final class ScrubNotes {
  var text = ""
}
