import Annals

/// What the screen shows of a position: the list, and what made it so.
struct ScrubMoment: Sendable {
  /// The position of the list.
  var position: Position
  /// The log's last position.
  var end: Position
  /// The list at the position.
  var list: any ShownList
  /// What the last transaction, the last event, or what came since a mark changed.
  var batch: ListBatch
  /// The first events of the batch, with their payloads.
  var events: [StoredEvent] = []
  /// The time of the position's event; nil at 0.
  var time: Int64?
  /// The mark that the batch begins at; nil if it is the last transaction's or event's.
  var since: Position?
  /// The positions of `events` that are supposed not to be there.
  var hidden: Set<Position> = []
  /// Why events of `events` could not apply without those.
  var refused: [Position: String] = [:]
  /// How many events up to the position could not apply without those.
  var refusedCount = 0
}

/// How far a step goes.
enum ScrubStep: Hashable, Sendable {
  case transactions(Int)
  case events(Int)

  /// Two steps as one; nil if they are of different kinds.
  func joined(_ other: ScrubStep) -> ScrubStep? {
    switch (self, other) {
    case (.transactions(let one), .transactions(let two)): .transactions(one + two)
    case (.events(let one), .events(let two)): .events(one + two)
    default: nil
    }
  }
}

/// The list that is shown, and in which way.
struct ScrubSetting: Hashable, Sendable {
  /// The list's name, where the log has events of several.
  var list: String?
  /// The field that rows are sorted by instead of the app's order.
  var sort: String?
  /// True if that order descends.
  var descends = false
  /// The field that cuts the rows into sections instead of the app's.
  var section: String?
  /// What is supposed not to be there, as `--without` takes it; nil for what the command line says.
  var without: [String]?

  /// True if events are left out that the command line does not leave out.
  var supposes: Bool { without?.isEmpty == false }

  /// The same list with all its events.
  var withAllEvents: ScrubSetting {
    var setting = self
    setting.without = []
    return setting
  }

  /// The options of the same list, by those of the command line.
  func options(_ given: [(name: String, value: String)]) -> [(name: String, value: String)] {
    var options = given.filter { option in
      switch option.name {
      case "--list": list == nil
      case "--sort": sort == nil
      case "--section-by": section == nil
      case "--without": without == nil
      default: true
      }
    }
    if let list { options.append(("--list", list)) }
    if let section { options.append(("--section-by", section)) }
    if let sort { options.append(("--sort", (descends ? "-" : "") + sort)) }
    for text in without ?? [] { options.append(("--without", text)) }
    return options
  }
}

/// What the model asks for.
enum ScrubRequest: Sendable {
  /// Opens the list, and goes to a position; nil for the last, or for the one that is shown.
  case open(ScrubSetting, at: Position?)
  case step(ScrubStep)
  case go(Position)
  /// Goes to the last position that the log has now.
  case goToEnd
  /// Goes to any place.
  case place(String)
  /// Compares with a mark, or stops doing so.
  case compare(since: Position?)
  /// What became of a row, for the pane about it.
  case history(String)
  /// Goes to the next or the last change of a row.
  case rowChange(String, forwards: Bool)
  /// Goes to the next or the last event of a stream, after or before an event.
  case stream(StreamName, of: Position, forwards: Bool)
  /// Goes to where a field of a row got the value that it has.
  case blame(String, field: String)
  /// Looks for a row by its text, from the one after a place of the list.
  case search(String, from: RowPath?, forwards: Bool)
  /// Looks for an event, or for where a row begins to meet a condition.
  case find(String, forwards: Bool)
  /// Shows the list as if events had not been there, or as the log has it.
  case suppose([String])
  /// What is supposed, and what it leads to.
  case supposed
  /// Writes a page of a range into a file.
  case page(String, from: Position, to: Position)
  /// How the log's transactions are spread over it.
  case curve
  /// The lists that the log has.
  case lists
}

/// What a request led to.
enum ScrubAnswer: Sendable {
  case opened(ScrubMoment, ScrubHeading)
  case moved(ScrubMoment, note: String?)
  case history(ScrubHistory)
  case found(id: String)
  case curve(ChangeCurve)
  case lists([ScrubSetting])
  /// Lines to read.
  case text(title: String, [String])
  case note(String)
  case failed(ReplayError)
  case cancelled
}

/// What the list is, for the screen's first line.
struct ScrubHeading: Sendable {
  let name: String
  let isSectioned: Bool
  let setting: ScrubSetting
}

/// What became of a row.
struct ScrubHistory: Sendable {
  let id: String
  /// The log's end when it was read.
  let end: Position
  let steps: [RecordStep]
  /// Who made the steps, by position, as far as they were looked up.
  let actors: [Position: String]
}
