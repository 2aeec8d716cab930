import Annals

/// The state of the full screen, without a terminal: it takes keys and responses, and returns requests and screens.
struct ScrubModel {
  /// A prompt or a page in front of the list.
  enum Front: Sendable {
    case prompt(ScrubPrompt)
    case page(ScrubPage)
  }

  /// The way in which time passes by itself.
  enum Motion: Sendable { case still, playing, following }

  /// The names of the tool and the log, and the options of the list.
  let facts: ScrubFacts
  var columns: Int
  var rows: Int

  /// The shown position, nil until the log is open.
  var shown: ScrubPosition?
  var curve: ChangeCurve?
  /// The rows with the typed text, nil to show all rows.
  var filtered: FilteredRows?

  /// The id of the row under the cursor, which stays there while time moves.
  var selectedID: String?
  /// The row's last path among the rows in sight.
  var selectedPath: RowPath?
  /// The first line of the list that is shown.
  var top = RowPath(section: 0, row: -1)
  /// The field under the cursor.
  var field: String?
  /// The index of the selected event in the batch.
  var eventIndex = 0
  /// True if the cursor moves to changed rows.
  ///
  /// It ends when you move the cursor yourself.
  var isChasing = true

  /// The positions that you marked, the last one set last.
  var marks: [Position] = []
  var histories: [String: ScrubHistory] = [:]
  /// Rows whose history could not be read.
  var unreadable: Set<String> = []

  var front: Front?
  var message: ScrubMessage?
  /// The search that n and N repeat.
  var last: ScrubPrompt?
  /// The task that takes longer, and the position that it or the list reached.
  var work: ScrubWork?
  var reached: Position?

  var motion = Motion.still
  /// The index in the speeds.
  var speed = 2
  /// True if the terminal reports the mouse, so that it can't select text.
  var hasMouse = true
  /// True after you quit.
  var isOver = false

  init(_ facts: ScrubFacts, columns: Int, rows: Int) {
    self.facts = facts
    self.columns = columns
    self.rows = rows
  }

  static let speeds = [0.5, 1, 2, 5, 10, 20, 60]

  var position: Position { shown?.position ?? 0 }
  var layout: ScrubLayout { ScrubLayout(columns: columns, rows: rows) }

  var prompt: ScrubPrompt? {
    get { if case .prompt(let prompt)? = front { prompt } else { nil } }
    set { front = newValue.map { .prompt($0) } }
  }
  var page: ScrubPage? {
    get { if case .page(let page)? = front { page } else { nil } }
    set { front = newValue.map { .page($0) } }
  }

  /// The rows in sight, nil while the list is being read.
  var list: (any ShownList)? { filtered ?? shown?.list?.rows }
  var lines: ListLines? { list.map { ListLines(list: $0, isSectioned: shown?.list?.isSectioned ?? false) } }
  /// The history of the row under the cursor, if it was read.
  var history: ScrubHistory? { selectedID.flatMap { histories[$0] } }
  /// The row under the cursor, nil if it is not in the list here.
  var selectedRecord: Record? { selectedID.flatMap { shown?.list?.rows.record(of: $0) } }

  /// The selected event of the pane.
  var chosenEvent: StoredEvent? {
    guard let events = shown?.events, !events.isEmpty else { return nil }
    return events[min(max(0, eventIndex), events.count - 1)]
  }

  /// Seconds until the next tick, nil if none is needed.
  var tickInterval: Double? {
    switch motion {
    case .still: nil
    case .playing: 1 / Self.speeds[speed]
    case .following: 0.25
    }
  }

  /// Moves with the time.
  mutating func tick() -> [ScrubRequest] {
    guard let shown, motion != .still else { return [] }
    if motion == .following { return [.goToEnd] }
    if shown.position < shown.end { return [.step(.transactions(1))] }
    motion = .still
    return []
  }

  /// The next request for the panes, nil if they are complete.
  func background() -> ScrubRequest? {
    guard let shown, motion != .playing else { return nil }
    if curve?.end != shown.end {
      return ScrubRequest { .curve(try ChangeCurve($0.log.store, through: $0.log.end)) }
    }
    guard let rows = shown.list?.rows else { return .list }
    if let prompt, prompt.kind == .search, !prompt.text.isEmpty, filtered?.text != prompt.text {
      return ScrubRequest("searching…", .list) { engine in
        .filtered(try FilteredRows(prompt.text, in: rows, check: engine.check))
      }
    }
    guard layout.side != nil, let id = selectedID, !unreadable.contains(id) else { return nil }
    return histories[id]?.end == shown.end ? nil : .history(id)
  }

  /// Takes the terminal's new size.
  mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    arrange()
  }

  /// Takes the response to a request.
  mutating func take(_ answer: ScrubAnswer, of request: ScrubRequest) {
    switch answer {
    case .moved(let position, let note):
      show(position)
      if let note { say(note) }
    case .history(let history):
      if histories.count > 100 { histories = [:] }
      histories[history.id] = history
      if let page, page.rowID == history.id, var whole = rowPage() {
        whole.top = page.top
        self.page = whole
      }
    case .filtered(let rows):
      guard prompt?.kind == .search, prompt?.text == rows.text else { break }
      filtered = rows
      if selectedID.flatMap({ rows.path(of: $0) }) == nil {
        select(rows.first(from: prompt?.origin.flatMap { shown?.list?.rows.path(of: $0) }))
      }
    case .found(let id):
      selectedID = id
      isChasing = false
    case .curve(let curve): self.curve = curve
    case .lists(let lists): chooseList(lists)
    case .text(let title, let lines): page = textPage(title, lines)
    case .note(let text): say(text)
    case .failed(let error, let former):
      motion = .still
      if case .history(let id) = request.kind { unreadable.insert(id) }
      if let former { show(former) }
      message = ScrubMessage(text: Self.oneLine(error.message), isError: true)
    case .cancelled:
      if request.kind == .search || request.kind == .other { say("stopped") }
    }
    arrange()
  }

  mutating func say(_ text: String) { message = ScrubMessage(text: Self.oneLine(text), isError: false) }

  private static func oneLine(_ text: String) -> String { text.split(separator: "\n").joined(separator: "; ") }

  private mutating func show(_ new: ScrubPosition) {
    if new.opening != shown?.opening {
      top = RowPath(section: 0, row: -1)
      (histories, unreadable, curve) = ([:], [], nil)
    }
    let most = max(0, new.events.count - 1)
    eventIndex = new.position == shown?.position && new.since == shown?.since ? min(eventIndex, most) : most
    (shown, filtered) = (new, nil)
    guard let rows = new.list?.rows else { return }
    let isChanged = new.batch.rows.contains { $0.change.row.id == selectedID }
    if isChasing, !isChanged, let changed = Self.mostChanged(new.batch) { selectedID = changed.change.row.id }
    if selectedID == nil { select(rows.nearest(RowPath(section: 0, row: 0))) }
  }

  /// The last row that an event inserted or changed.
  private static func mostChanged(_ batch: ListBatch) -> RowStep? {
    batch.rows.last { step in
      if case .delete = step.change { return false }
      return step.old == nil || !step.changedFields.isEmpty || batch.rows.count == 1
    }
  }

  /// Puts the cursor on a row in sight.
  mutating func select(_ path: RowPath?) {
    guard let path, let list else { return }
    selectedPath = path
    selectedID = list.record(at: path).id
  }

  /// Scrolls the list so that the cursor is in sight.
  mutating func arrange() {
    guard let lines else { return }
    let height = max(1, layout.lineCount)
    // No empty lines below the last one, if there are enough above it.
    func clamp() { top = min(top, lines.last.map { lines.place($0, movedBy: 1 - height) } ?? top) }
    top = lines.clamped(top)
    clamp()
    if let path = selectedID.flatMap({ lines.list.path(of: $0) }) { selectedPath = path }
    guard let wanted = selectedPath.flatMap({ lines.list.nearest($0) }) else { return }
    // A section's first row is seen with its heading.
    let first = wanted.row == 0 && lines.isSectioned ? RowPath(section: wanted.section, row: -1) : wanted
    if first < top {
      top = height > 3 ? lines.place(first, movedBy: -min(2, height / 4)) : height > 1 ? first : wanted
    } else if lines.place(top, movedBy: height - 1) < wanted {
      top = lines.place(wanted, movedBy: 1 - height + min(2, height / 4))
      clamp()
    }
  }
}

/// The names of the tool and the log, and the options of the list.
struct ScrubFacts: Sendable {
  let tool: String
  /// The log as it was named.
  let log: String
  /// The options of the list as they were given, with their values.
  let options: [(name: String, value: String)]
  let times: TimeStyle

  /// The first value of an option that was given.
  func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// The log's name without its folder.
  var name: String { log.split(separator: "/").last.map(String.init) ?? log }
}

/// A line for people at the bottom.
struct ScrubMessage: Equatable, Sendable {
  let text: String
  let isError: Bool
}

/// A task that takes longer.
struct ScrubWork: Equatable, Sendable {
  let text: String
  /// The number of the frame, which turns the wheel.
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
  /// The row under the cursor when the prompt was opened.
  var origin: String?

  var title: String {
    switch kind {
    case .go: "go to: "
    case .search: "/"
    case .find: "find: "
    case .without: "without: "
    case .page(let from, let to): "page of \(from) to \(to) in: "
    }
  }

  /// True for a search, which n and N repeat.
  var repeats: Bool { kind == .search || kind == .find }
}

/// A page of text, or a menu of settings, over the list.
struct ScrubPage: Sendable {
  let title: String
  var lines: [ScrubLine]
  /// The row that the page is about.
  var rowID: String?
  var top = 0
  /// The settings that the lines name, for a menu.
  var settings: [ScrubSetting] = []
  /// The index of the line under the cursor, in a menu.
  var chosen = 0
}

/// A line of text in pieces of different styles.
typealias ScrubLine = [(text: String, style: CellStyle)]
