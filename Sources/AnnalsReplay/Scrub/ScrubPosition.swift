import Annals

/// A position with its list, and the events that made the list.
struct ScrubPosition: Sendable {
  /// A list at a position.
  struct List: Sendable {
    let rows: any ShownList
    /// The list's name, and the left-out events.
    let name: String
    let isSectioned: Bool
  }

  let position: Position
  /// The log's last position.
  let end: Position
  /// The list, nil while it is being read.
  var list: List?
  /// The changes by the last transaction, by the last event, or since a mark.
  var batch: ListBatch
  /// The first events of the batch, with their payloads.
  let events: [StoredEvent]
  /// The time of the position's event, nil at 0.
  let time: Int64?
  /// The mark at which the batch begins, nil for a batch of the last transaction or event.
  let since: Position?
  let setting: ScrubSetting
  /// The number of lists that were opened so far.
  ///
  /// Histories and the place in the list are of one opened list.
  let opening: Int
  /// The positions of left-out events of `events`.
  var hidden: Set<Position> = []
  /// Why events of `events` could not apply without the left-out events.
  var refused: [Position: String] = [:]
  /// The number of events up to the position that could not apply without the left-out events.
  var refusedCount = 0
}

/// The length of a step.
enum ScrubStep: Hashable, Sendable {
  case transactions(Int)
  case events(Int)

  /// Two steps as one, nil if they are of different kinds.
  func joined(_ other: ScrubStep) -> ScrubStep? {
    switch (self, other) {
    case (.transactions(let one), .transactions(let two)): .transactions(one + two)
    case (.events(let one), .events(let two)): .events(one + two)
    default: nil
    }
  }
}

/// The choice of a list, its order and its sections.
struct ScrubSetting: Hashable, Sendable {
  /// The list's name, where the log has events of several.
  var list: String?
  /// The field that rows are sorted by instead of the app's order.
  var sort: String?
  /// True if that order descends.
  var descends = false
  /// The field that groups the rows into sections instead of the app's.
  var section: String?
  /// The left-out events in the form of `--without`, nil for those of the command line.
  var without: [String]?

  /// The options of the same list, derived from those of the command line.
  func options(_ given: [(name: String, value: String)]) -> [(name: String, value: String)] {
    let own: [(name: String, values: [String]?)] = [
      ("--list", list.map { [$0] }), ("--section-by", section.map { [$0] }),
      ("--sort", sort.map { [(descends ? "-" : "") + $0] }), ("--without", without),
    ]
    let rest = given.filter { option in !own.contains { $0.name == option.name && $0.values != nil } }
    return rest + own.flatMap { option in (option.values ?? []).map { (option.name, $0) } }
  }
}

/// A task for the thread that reads the log.
struct ScrubRequest: Sendable {
  enum Kind: Equatable, Sendable {
    /// Reads the list of the position, in the background.
    case list
    /// Reads a row's changes for the pane.
    case history(String)
    /// Reads for a key. Two steps that wait become one.
    case step(ScrubStep)
    /// Reads for a key, and can be stopped by one.
    case search
    case other
  }

  let kind: Kind
  /// The words of the status line while the task lasts.
  let words: String
  let perform: @Sendable (ScrubEngine) throws -> ScrubAnswer

  /// True if a key may end the task.
  var canStop: Bool { kind != .other }

  init(
    _ words: String = "going there…", _ kind: Kind = .other,
    _ perform: @escaping @Sendable (ScrubEngine) throws -> ScrubAnswer
  ) {
    (self.kind, self.words, self.perform) = (kind, words, perform)
  }

  static func step(_ step: ScrubStep) -> ScrubRequest {
    ScrubRequest("going there…", .step(step)) { .moved(try $0.step(step)) }
  }

  static func go(_ position: Position) -> ScrubRequest {
    ScrubRequest { .moved(try $0.show(min(position, $0.log.end))) }
  }

  static var goToEnd: ScrubRequest { ScrubRequest { .moved(try $0.goToEnd()) } }

  static func open(_ setting: ScrubSetting, at position: Position?) -> ScrubRequest {
    ScrubRequest("reading the list…") { .moved(try $0.open(setting, at: position)) }
  }

  static var list: ScrubRequest { ScrubRequest("reading the list…", .list) { try $0.readList() } }

  static func history(_ id: String) -> ScrubRequest {
    ScrubRequest("reading the row's changes…", .history(id)) { .history(try $0.history(of: id)) }
  }
}

/// The result of a request.
enum ScrubAnswer: Sendable {
  case moved(ScrubPosition, note: String? = nil)
  case history(ScrubHistory)
  case curve(ChangeCurve)
  case lists([ScrubSetting])
  /// Rows with the text of a search, for a list.
  case filtered(FilteredRows)
  /// Lines to read.
  case text(title: String, [String])
  case found(id: String)
  case note(String)
  /// An error. A list that cannot be read leads back to the last position whose list could.
  case failed(ReplayError, backTo: ScrubPosition? = nil)
  case cancelled
}

/// The changes of a row.
struct ScrubHistory: Sendable {
  let id: String
  /// The log's end when the history was read.
  let end: Position
  let steps: [RecordStep]
  /// The actors of the last steps, by position.
  let actors: [Position: String]
}
