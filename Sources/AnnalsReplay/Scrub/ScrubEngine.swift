import Annals
import AnnalsLog

/// Does what the model asks for: it alone reads the log.
///
/// It is used from one thread at a time, the one that made it.
final class ScrubEngine {
  /// What a task throws that was cancelled.
  struct Cancelled: Error {}

  let session: Session
  /// True if the task is to end; asked often in long tasks.
  var isCancelled: () -> Bool = { false }
  /// Called now and then in long tasks with the position that was reached.
  var said: (Position) -> Void = { _ in }

  private(set) var log: LogExtent
  /// The revision that the list is of.
  private var revision: LogRevision
  private(set) var setting = ScrubSetting()
  private(set) var moment: ScrubMoment?
  private var openReader: (any ListReader)?
  /// Where the comparison begins; nil to show what the last transaction or event changed.
  private var since: Position?
  /// True if what the last event did is shown, instead of the whole transaction.
  private(set) var isOfEvent = false
  /// The histories that were read, until the log grows.
  var histories: [String: ScrubHistory] = [:]
  /// What places say of themselves, such as the position that a time was taken for.
  let notes: ScrubNotes
  private let commands: CommandNames
  /// The subcommand that writes a page.
  let timeline: Subcommand

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - session: What was asked.
  ///   - timeline: The subcommand that writes a page.
  /// - Throws: What opening the log throws.
  init(_ session: Session, timeline: Subcommand) throws {
    self.timeline = timeline
    log = try LogExtent(session.openStore())
    revision = try log.store.revision()
    notes = ScrubNotes()
    commands = CommandNames(log.store)
    var console = session.console
    console.talk = { [notes] in notes.text += $0 }
    // A bar of progress is no note.
    console.talkIsTerminal = false
    console.progress = .none
    // The screen has its own way to end at a signal: it gives the terminal back.
    console.willRead = {}
    self.session = Session(
      tool: session.tool, version: session.version, catalog: session.catalog, console: console,
      arguments: session.arguments, output: session.output)
  }

  /// Does what is asked for.
  func answer(_ request: ScrubRequest) -> ScrubAnswer {
    notes.text = ""
    do {
      if let moment, try log.store.revision() != revision {
        let extent = try LogExtent(log.store)
        let position = min(moment.position, extent.end)
        let place = extent.compacted.shows(position) ? position : extent.compacted.horizon
        do {
          return try open(setting, at: place)
        } catch is ReplayError where setting.supposes {
          // What was left out may have been cut.
          return try open(setting.withAllEvents, at: place)
        }
      }
      return try perform(request)
    } catch is Cancelled {
      return .cancelled
    } catch let error as ReplayError {
      return .failed(error)
    } catch let error as EventStoreError {
      return .failed(ReplayError(error))
    } catch {
      return .failed(ReplayError(.inputOutput, "\(error)"))
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
  /// - Returns: The list there.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func open(_ setting: ScrubSetting, at position: Position?, keepsBatch: Bool = false) throws -> ScrubAnswer {
    let before = (openReader, self.setting, since, histories)
    do {
      return try reopen(setting, at: position, keepsBatch: keepsBatch)
    } catch {
      (openReader, self.setting, since, histories) = before
      throw error
    }
  }

  private func reopen(_ setting: ScrubSetting, at position: Position?, keepsBatch: Bool) throws -> ScrubAnswer {
    log = try LogExtent(log.store)
    revision = try log.store.revision()
    if !keepsBatch { since = nil }
    var options = try session.listOptions()
    if let list = setting.list { options.list = list }
    if let sort = setting.sort { options.sort = [(FieldPath(sort), setting.descends)] }
    if let section = setting.section { options.section = FieldPath(section) }
    options.index = .made
    guard let source = try session.source(options, in: log) else {
      throw ReplayError(.negative, "\(session.tool) has no list to show")
    }
    openReader = try session.open(source, options, log, through: log.end, without: setting.without)
    openReader?.keepPast()
    self.setting = setting
    histories = [:]
    let reader = try reader
    let moment = try show(position ?? moment?.position ?? log.end, isEvent: keepsBatch && isOfEvent)
    return .opened(
      moment,
      ScrubHeading(
        name: reader.name + (reader.supposition.map { " \($0.words)" } ?? ""), isSectioned: reader.isSectioned,
        setting: setting))
  }

  /// The list; there is one after it was opened.
  var reader: any ListReader {
    get throws {
      guard let openReader else { throw ReplayError(.negative, "no list is open") }
      return openReader
    }
  }

  var position: Position { moment?.position ?? 0 }

  private func perform(_ request: ScrubRequest) throws -> ScrubAnswer {
    switch request {
    case .open(let setting, let position): return try open(setting, at: position)
    case .step(let step): return .moved(try self.step(step), note: nil)
    case .go(let position): return .moved(try show(min(position, log.end)), note: nil)
    case .goToEnd:
      let end = log.end
      log = try LogExtent(log.store)
      if log.end != end { histories = [:] }
      if let moment, moment.position == log.end, log.end == end { return .moved(moment, note: nil) }
      return .moved(try show(log.end), note: nil)
    case .place(let text):
      let moment = try show(try session.place(text, of: "go to", in: log))
      return .moved(moment, note: notes.text.isEmpty ? nil : notes.text)
    case .compare(let since):
      self.since = since
      return .moved(try show(position), note: nil)
    case .history(let id): return .history(try history(of: id))
    case .rowChange(let id, let forwards): return try rowChange(of: id, forwards: forwards)
    case .stream(let name, let event, let forwards): return try stream(name, of: event, forwards: forwards)
    case .blame(let id, let field): return try blame(id, field: field)
    case .search(let text, let path, let forwards): return try search(text, from: path, forwards: forwards)
    case .find(let text, let forwards): return try find(text, forwards: forwards)
    case .suppose(let without):
      var setting = setting
      setting.without = without
      return try open(setting, at: position, keepsBatch: true)
    case .supposed: return try supposed()
    case .page(let file, let from, let to): return try writePage(file, from: from, to: to)
    case .curve: return .curve(try ChangeCurve(log.store, through: log.end))
    case .lists: return .lists(try lists())
    }
  }

  private func step(_ step: ScrubStep) throws -> ScrubMoment {
    switch step {
    case .transactions(let count):
      return try show(TransactionSteps(log: log, check: check).position(count, from: position))
    case .events(let count):
      var wanted = min(max(0, position.rawValue + count), log.end.rawValue)
      let horizon = log.compacted.horizon.rawValue
      if wanted < horizon { wanted = count < 0 ? 0 : min(horizon, log.end.rawValue) }
      return try show(Position(wanted), isEvent: true)
    }
  }

  /// Ends the task if it was cancelled.
  func check() throws { if isCancelled() { throw Cancelled() } }

  /// Goes to a position, and says what made the list what it is there.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isEvent: True for what the last event did, instead of the whole transaction.
  /// - Returns: What the screen shows there.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func show(_ position: Position, isEvent: Bool = false) throws -> ScrubMoment {
    let reader = try reader
    let event = try log.event(at: position)
    var from = position
    if let since, since <= log.end {
      from = since
    } else if let event {
      from = isEvent ? position.before : try log.store.index.transaction(of: event).lowerBound.before
    }
    if !log.compacted.shows(from) { from = 0 }
    try reader.move(to: from)
    var batch = try reader.go(to: position)
    let distance = max(from, position).rawValue - min(from, position).rawValue
    if distance > 0, distance <= Self.namedEvents {
      batch = try commands.naming(reader.attribute(batch))
    } else {
      batch.eventCount = distance
    }
    var shown = ScrubMoment(
      position: position, end: log.end, list: reader.list, batch: batch,
      events: distance == 0
        ? [] : try log.store.events(.all, after: min(from, position), through: max(from, position), limit: 64),
      time: event.map(\.time.microseconds), since: since)
    if let supposition = reader.supposition { try mark(&shown, supposition) }
    moment = shown
    isOfEvent = isEvent
    return shown
  }

  /// Up to how many events between two positions it is said which rows each of them set.
  private static var namedEvents: Int { 2_000 }

  /// The lists that the log has events of, and its collections of records.
  private func lists() throws -> [ScrubSetting] {
    let types = try log.types()
    return try session.catalog.lists.filter { $0.isMeant(forTypes: types) }.flatMap { source in
      guard source is RecordSource else { return [ScrubSetting(list: source.name)] }
      return try RecordSource.collections(in: log.store, through: log.end).map { ScrubSetting(list: $0) }
    }
  }
}

/// Collects what is said while a place is looked up.
final class ScrubNotes {
  var text = ""
}
