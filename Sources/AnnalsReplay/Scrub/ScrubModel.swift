import Annals

/// The state of the full-screen view, without a terminal: keys go in, requests and screens come out.
struct ScrubModel {
  /// What the tool and the log are called, and the list options that were given.
  let facts: ScrubFacts
  var columns: Int
  var rows: Int

  /// What is shown; nil until the list is open.
  var moment: ScrubMoment?
  var heading: ScrubHeading?
  var curve: ChangeCurve?

  /// The row under the cursor, by its id: it stays under it while time moves.
  var selectedID: String?
  /// Where the row was seen last.
  var selectedPath: RowPath?
  /// The first line of the list that is shown.
  var top = ListPlace(section: 0, row: -1)
  /// The field under the cursor.
  var field: String?
  /// The event of the batch that is chosen, counted from 0.
  var eventIndex = 0
  /// True if the cursor goes to what changed; ends when you move it yourself.
  var isChasing = true

  /// The positions that you marked, the last one set last.
  var marks: [Position] = []
  var histories: [String: ScrubHistory] = [:]
  /// Rows whose history could not be read.
  var unreadable: Set<String> = []

  var prompt: ScrubPrompt?
  var page: ScrubPage?
  var menu: ScrubMenu?
  var message: ScrubMessage?
  /// What n and N repeat.
  var last: ScrubPrompt?
  /// What takes longer, as the driver says it.
  var work: ScrubWork?

  var isPlaying = false
  /// Index in the speeds.
  var speed = 2
  var isFollowing = false
  /// True when you quit.
  var isOver = false

  init(_ facts: ScrubFacts, columns: Int, rows: Int) {
    self.facts = facts
    self.columns = columns
    self.rows = rows
  }

  static let speeds = [0.5, 1, 2, 5, 10, 20, 60]

  var position: Position { moment?.position ?? 0 }
  var layout: ScrubLayout { ScrubLayout(columns: columns, rows: rows) }

  /// Seconds until the next tick; nil if none is needed.
  var tickInterval: Double? {
    if isPlaying { return 1 / Self.speeds[speed] }
    return isFollowing ? 0.25 : nil
  }

  /// Time has passed.
  mutating func tick() -> [ScrubRequest] {
    guard let moment else { return [] }
    if isFollowing { return [.goToEnd] }
    guard isPlaying else { return [] }
    if moment.position >= moment.end {
      isPlaying = false
      return []
    }
    return [.step(.transactions(1))]
  }

  /// What to read while nothing else is asked for; nil if all is there.
  func background() -> ScrubRequest? {
    guard let moment, !isPlaying else { return nil }
    if curve?.end != moment.end { return .curve }
    guard layout.side != nil, let id = selectedID, !unreadable.contains(id) else { return nil }
    return histories[id]?.end == moment.end ? nil : .history(id)
  }

  /// The terminal has another size.
  mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    arrange()
  }

  /// Takes what a request led to.
  mutating func take(_ answer: ScrubAnswer, of request: ScrubRequest) {
    switch answer {
    case .opened(let moment, let heading):
      // What is supposed changes nothing of what you look at.
      let eventIndex = moment.position == position ? eventIndex : nil
      self.heading = heading
      top = ListPlace(section: 0, row: -1)
      histories = [:]
      unreadable = []
      curve = nil
      show(moment)
      switch request {
      case .open: break
      case .suppose:
        if let eventIndex { self.eventIndex = min(eventIndex, max(0, moment.events.count - 1)) }
        say(supposedWords(moment))
      default: say("the log was compacted, or something was erased from it; this is how it is now")
      }
    case .moved(let moment, let note):
      show(moment)
      if let note { say(note) }
    case .history(let history):
      if histories.count > 100 { histories = [:] }
      histories[history.id] = history
      if let page, page.rowID == history.id, var whole = rowPage(), whole.rowID == page.rowID {
        whole.top = page.top
        self.page = whole
      }
    case .found(let id):
      selectedID = id
      selectedPath = moment?.list.path(of: id)
      isChasing = false
    case .curve(let curve): self.curve = curve
    case .lists(let lists): chooseList(lists)
    case .text(let title, let lines): page = textPage(title, lines)
    case .note(let text): say(text)
    case .failed(let error):
      isPlaying = false
      isFollowing = false
      if case .history(let id) = request { unreadable.insert(id) }
      message = ScrubMessage(text: Self.oneLine(error.message), isError: true)
    case .cancelled:
      if case .history = request { return }
      say("stopped")
    }
    arrange()
  }

  mutating func say(_ text: String) {
    message = ScrubMessage(text: Self.oneLine(text), isError: false)
  }

  private static func oneLine(_ text: String) -> String { text.split(separator: "\n").joined(separator: "; ") }

  private mutating func show(_ moment: ScrubMoment) {
    self.moment = moment
    eventIndex = max(0, min(moment.events.count, moment.batch.events.count) - 1)
    let changed = moment.batch.rows.last { step in
      if case .delete = step.change { return false }
      return step.old == nil || !step.changedFields.isEmpty || moment.batch.rows.count == 1
    }
    let isChanged = moment.batch.rows.contains { $0.change.row.id == selectedID }
    if isChasing, !isChanged, let changed { selectedID = changed.change.row.id }
    if let id = selectedID, let path = moment.list.path(of: id) { selectedPath = path }
    if selectedID == nil, moment.list.rowCount > 0 {
      select(moment.list.path(after: RowPath(section: 0, row: -1), forwards: true))
    }
  }

  /// Puts the cursor on a row.
  mutating func select(_ path: RowPath?) {
    guard let path, let list = moment?.list else { return }
    selectedPath = path
    selectedID = list.record(at: path).id
  }

  /// Scrolls the list so that the cursor is in sight.
  mutating func arrange() {
    guard let moment, let heading else { return }
    let lines = ListLines(list: moment.list, isSectioned: heading.isSectioned)
    let height = max(1, layout.listHeight - (layout.hasColumnNames ? 1 : 0))
    top = lines.clamped(top)
    // Nothing below the last line, if there are enough above it.
    if let last = lines.last { top = min(top, lines.place(last, movedBy: 1 - height)) }
    guard let path = selectedPath.flatMap({ lines.nearest($0) }) else { return }
    if moment.list.path(of: selectedID ?? "") != nil || selectedID == nil { selectedPath = path }
    let wanted = ListPlace(section: path.section, row: path.row)
    // A section's first row is seen with its heading.
    let first = path.row == 0 && lines.isSectioned ? ListPlace(section: path.section, row: -1) : wanted
    if first < top {
      top = height > 3 ? lines.place(first, movedBy: -min(2, height / 4)) : height > 1 ? first : wanted
    } else if lines.place(top, movedBy: height - 1) < wanted {
      top = lines.place(wanted, movedBy: 1 - height + min(2, height / 4))
      if let last = lines.last { top = min(top, lines.place(last, movedBy: 1 - height)) }
    }
  }

  /// The event of the pane that is chosen.
  var chosenEvent: StoredEvent? {
    guard let events = moment?.events, !events.isEmpty else { return nil }
    return events[min(max(0, eventIndex), events.count - 1)]
  }

  /// The row under the cursor; nil if it is not in the list here.
  var selectedRecord: Record? { selectedID.flatMap { moment?.list.record(of: $0) } }
}

/// What the view is of.
struct ScrubFacts: Sendable {
  /// What the tool is called.
  let tool: String
  /// The log as it was named.
  let log: String
  /// The options of the list as they were given, with their values.
  let options: [(name: String, value: String)]
  let times: TimeStyle

  /// The first value of an option that was given.
  func value(_ name: String) -> String? { options.first { $0.name == name }?.value }
}

/// A line for people at the bottom.
struct ScrubMessage: Equatable, Sendable {
  let text: String
  let isError: Bool
}

/// What takes longer.
struct ScrubWork: Equatable, Sendable {
  let text: String
  /// Turns with each frame.
  let frame: Int
}

/// A line that you type.
struct ScrubPrompt: Equatable, Sendable {
  enum Kind: Hashable, Sendable {
    case go, search, find, without
    /// The file of a page of a range.
    case page(from: Position, to: Position)
  }
  let kind: Kind
  var text = ""

  var title: String {
    switch kind {
    case .go: "go to: "
    case .search: "/"
    case .find: "find: "
    case .without: "without: "
    case .page(let from, let to): "page of \(from) to \(to) in: "
    }
  }

  /// True if it looks for something that n and N look for again.
  var repeats: Bool { kind == .search || kind == .find }
}

/// A page of text over the list.
struct ScrubPage: Sendable {
  let title: String
  let lines: [ScrubLine]
  /// The row that it is about; nil if it is about something else.
  var rowID: String?
  var top = 0
}

/// A choice among words.
struct ScrubMenu: Sendable {
  enum Kind: Sendable { case sort, section, list }
  let kind: Kind
  let title: String
  let items: [(text: String, setting: ScrubSetting)]
  var chosen = 0
}

/// A line of text in pieces of different looks.
typealias ScrubLine = [(text: String, style: CellStyle)]
