import Annals

/// A key or a pair of keys: its help, and its effect.
struct ScrubKey: Sendable {
  let label: String
  let help: String
  /// The words of the status line, nil for a key that is only in the help.
  let hint: String?
  /// Calls the effect with -1 for the first keys of a pair, and with 1 for the other keys.
  let act: @Sendable (inout ScrubModel, Int) -> [ScrubRequest]
  private let keys: [Int: [Key]]

  /// Takes keys in the form of `--keys`: the first keys of a pair, and its other keys or the keys without a pair.
  init(
    _ label: String, _ help: String, hint: String? = nil, back: String = "", forth: String,
    _ act: @escaping @Sendable (inout ScrubModel, Int) -> [ScrubRequest]
  ) {
    (self.label, self.help, self.hint, self.act) = (label, help, hint, act)
    keys = [-1: KeyWords.keys(back), 1: KeyWords.keys(forth)]
  }

  /// -1 or 1 for a key of this pair, nil for other keys.
  func step(_ key: Key) -> Int? { keys.first { $0.value.contains(key) }?.key }

  /// All keys, the most needed first.
  static let all: [ScrubKey] = [
    ScrubKey("← →  h l", "the transaction before and after", hint: "←→ transaction", back: "←h", forth: "→l") {
      [.step(.transactions($1))]
    },
    ScrubKey(
      "↑ ↓  k j", "the row above and below, like the wheel of the mouse", hint: "↑↓ row", back: "↑k", forth: "↓j"
    ) {
      $0.moveCursor($1)
    },
    ScrubKey("?", "these keys", hint: "? keys", forth: "?") { model, _ in model.open(model.helpPage) },
    ScrubKey("q", "quit", hint: "q quit", forth: "q") { model, _ in
      model.isOver = true
      return []
    },
    ScrubKey("⇧← ⇧→  H L", "the event before and after", hint: "⇧ event", back: "⇧←H", forth: "⇧→L") {
      [.step(.events($1))]
    },
    ScrubKey(
      "[ ]", "the changes of the row under the cursor before and after", hint: "[ ] row's changes", back: "[",
      forth: "]"
    ) { model, step in
      guard let id = model.selectedID else { return model.say("no row is under the cursor", []) }
      model.isChasing = false
      return [ScrubRequest("reading the row's changes…", .search) { try $0.rowChange(of: id, forwards: step > 0) }]
    },
    ScrubKey("g", "go to any place: 120, -5, '2 days ago', tx:LABEL, id:EVENT, cmd:COMMAND", hint: "g go", forth: "g") {
      $0.ask(.go, $1)
    },
    ScrubKey(
      "/", "show the rows with a text while you type it. Enter goes to the first one, n and N to the others",
      hint: "/ search", forth: "/"
    ) { $0.ask(.search, $1) },
    ScrubKey(
      "f",
      "find the place where a row begins to meet a condition (price > 90), where the list begins to (count > 3, "
        + "exists(b3), changed(b3.price)), or the next event of a choice (type:BookRepriced author:ann where:price > 5)"
        + ". n and N find the next and the previous place", hint: "f find", forth: "f"
    ) { $0.ask(.find, $1) },
    ScrubKey("n N", "repeat the search forwards and backwards", back: "N", forth: "n") { model, step in
      guard let last = model.last else { return model.say("nothing was searched yet: / or f", []) }
      return model.request(last, step: step)
    },
    ScrubKey("x", "leave out the selected event like --without, or restore it", hint: "x without", forth: "x") {
      model, _ in model.leaveOut()
    },
    ScrubKey("w", "choose the left-out events: 6, 5..9, tx:LABEL, cmd:ID, type:Book*, author:ann", forth: "w") {
      $0.ask(.without, $1)
    },
    ScrubKey("W", "the events that could not apply without the left-out events, and the reasons", forth: "W") { _, _ in
      [ScrubRequest { try $0.supposed() }]
    },
    ScrubKey("m", "mark this position, or remove its mark", hint: "m mark", forth: "m") { model, _ in model.mark() },
    ScrubKey("'", "the next mark", forth: "'") { model, _ in
      let sorted = model.marks.sorted()
      guard let next = sorted.first(where: { [here = model.position] in $0 > here }) ?? sorted.first else {
        return model.say("there is no mark yet: m sets one", [])
      }
      return [.go(next)]
    },
    ScrubKey("d", "compare with the last mark, or stop", hint: "d diff", forth: "d") { model, _ in model.compare() },
    ScrubKey(", .", "the event before and after in the pane", back: ",", forth: ".") { model, step in
      model.eventIndex = min(max(0, model.eventIndex + step), max(0, (model.shown?.events.count ?? 0) - 1))
      return []
    },
    ScrubKey("e", "the whole event", hint: "e event", forth: "e") { model, _ in
      model.open(model.chosenEvent.map(model.eventPage))
    },
    ScrubKey("Enter", "the whole row", forth: "⏎") { model, _ in
      _ = model.open(model.rowPage())
      guard let id = model.selectedID, model.history?.end != model.shown?.end else { return [] }
      return [.history(id)]
    },
    ScrubKey("Tab", "the next field of the row", back: "⇤", forth: "⇥") { $0.moveField($1) },
    ScrubKey(
      "b", "the event that set the field under the cursor, and after that the event that set the value before",
      hint: "b blame", forth: "b"
    ) { model, _ in
      guard let id = model.selectedID else { return model.say("no row is under the cursor", []) }
      guard let field = model.field ?? model.fieldNames.first else { return model.say("the row has no fields", []) }
      (model.isChasing, model.field) = (false, field)
      return [ScrubRequest("reading the row's changes…", .search) { try $0.blame(id, field: field) }]
    },
    ScrubKey(
      "{ }", "the event before and after in the selected event's stream", hint: "{ } stream", back: "{", forth: "}"
    ) { model, step in
      guard let event = model.chosenEvent else { return model.say("no event is shown", []) }
      return [ScrubRequest { try $0.stream(event.stream, of: event.position, forwards: step > 0) }]
    },
    ScrubKey("⌥← ⌥→  < >", "100 transactions", hint: "⌥ 100", back: "⌥←<lt>", forth: "⌥→>") {
      [.step(.transactions(100 * $1))]
    },
    ScrubKey("Home End  gg G", "the beginning, the end", back: "↖", forth: "↘G") { [$1 < 0 ? .go(0) : .goToEnd] },
    ScrubKey("PgUp PgDn", "a page of rows up and down", back: "⇞<c-u><c-b>", forth: "⇟<c-d><c-f>") {
      $0.moveCursor($1 * max(1, $0.layout.list.height - 2))
    },
    ScrubKey("c", "move the cursor to changed rows, until you move it", forth: "c") { model, _ in
      model.isChasing = true
      return model.say("the cursor goes to changed rows, until you move it", [])
    },
    ScrubKey("s", "sort by a field, in reverse order if it is chosen a second time", hint: "s sort", forth: "s") {
      model, _ in model.open(model.fieldMenu(\.sort))
    },
    ScrubKey("S", "group the rows into sections by a field", hint: "S sections", forth: "S") {
      model, _ in model.open(model.fieldMenu(\.section))
    },
    ScrubKey("t", "another list", forth: "t") { _, _ in [ScrubRequest { .lists(try $0.lists()) }] },
    ScrubKey("space", "play, or stop", forth: "␣") { model, _ in
      model.motion = model.motion == .playing ? .still : .playing
      return model.motion == .still ? [] : model.say("playing, \(model.speedText); + and − change it, space stops", [])
    },
    ScrubKey("+ −", "faster and slower", back: "+=", forth: "-−") { model, step in
      model.speed = min(max(0, model.speed - step), ScrubModel.speeds.count - 1)
      return model.say("\(model.speedText)\(model.motion == .playing ? "" : "; space plays")", [])
    },
    ScrubKey("F", "follow the log's end", forth: "F") { model, _ in
      model.motion = model.motion == .following ? .still : .following
      if model.motion == .still { return model.say("no longer following", []) }
      return model.say("following the log's end; any step ends it", [.goToEnd])
    },
    ScrubKey("Esc", "stop playing or following", forth: "⎋") { model, _ in
      model.motion = .still
      return []
    },
    ScrubKey("y", "the command that prints this list", hint: "y command", forth: "y") { model, _ in
      model.say(model.commandLine, [])
    },
    ScrubKey("o", "write a page from the last mark to here, like timeline", hint: "o page", forth: "o") { model, step in
      let (from, to) = model.pageRange
      return model.ask(.page(from: from, to: to), step)
    },
    ScrubKey("M", "use the mouse for rows and bars, or leave it to the terminal to select text", forth: "M") {
      model, _ in
      model.hasMouse.toggle()
      return model.say(model.hasMouse ? "the mouse selects rows and bars" : "the mouse selects text, M ends that", [])
    },
  ]

  /// The signs on the screen.
  static let signs = [
    ("+ − > ~", "a row was inserted, deleted, moved, changed"),
    ("↑2 ↓2", "the row moved two rows up or down in its section"),
    ("× !", "an event was left out, or could not apply without the left-out events"),
    ("▲ ▼ ·", "your place, a mark, a change of the row under the cursor"),
  ]
}
