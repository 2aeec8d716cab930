import Annals

extension ScrubModel {
  /// Takes a key, and returns what is to be read for it.
  mutating func handle(_ key: Key) -> [ScrubRequest] {
    message = nil
    if key == .control("c") { isOver = true }
    if isOver { return [] }
    defer { arrange() }
    if prompt != nil { return type(key) }
    if menu != nil { return chooseItem(key) }
    if page != nil {
      turn(key)
      return []
    }
    guard moment != nil else {
      if key == .text("q") || key == .escape { isOver = true }
      return []
    }
    if let requests = goThroughTime(key) {
      isFollowing = false
      if key != .text(" ") { isPlaying = false }
      return requests
    }
    if moveCursor(key) { return [] }
    return act(key)
  }

  /// The keys that change the position; nil if it is none of them.
  private mutating func goThroughTime(_ key: Key) -> [ScrubRequest]? {
    switch key {
    case .right(.none), .text("l"): return [.step(.transactions(1))]
    case .left(.none), .text("h"): return [.step(.transactions(-1))]
    case .right(.shift), .text("L"): return [.step(.events(1))]
    case .left(.shift), .text("H"): return [.step(.events(-1))]
    case .right(.alt), .text(">"): return [.step(.transactions(100))]
    case .left(.alt), .text("<"): return [.step(.transactions(-100))]
    case .home: return [.go(0)]
    case .end, .text("G"): return [.goToEnd]
    case .text("["), .text("]"):
      guard let id = selectedID else { return say("no row is under the cursor", []) }
      isChasing = false
      return [.rowChange(id, forwards: key == .text("]"))]
    case .text("{"), .text("}"):
      guard let event = chosenEvent else { return say("no event is shown", []) }
      return [.stream(event.stream, of: event.position, forwards: key == .text("}"))]
    case .text("b"):
      guard let id = selectedID else { return say("no row is under the cursor", []) }
      guard let field = field ?? fieldNames.first else { return say("the row has no fields", []) }
      isChasing = false
      self.field = field
      return [.blame(id, field: field)]
    case .text(" "):
      isPlaying.toggle()
      if isPlaying { say("playing, \(speedText); + and − change it, space stops") }
      return []
    case .text("'"):
      // The next mark after this position, around the end.
      let sorted = marks.sorted()
      guard let next = sorted.first(where: { $0 > position }) ?? sorted.first else {
        return say("there is no mark yet: m sets one", [])
      }
      return [.go(next)]
    default: return nil
    }
  }

  /// The keys that move the cursor; false if it is none of them.
  private mutating func moveCursor(_ key: Key) -> Bool {
    guard let moment, let heading else { return false }
    let lines = ListLines(list: moment.list, isSectioned: heading.isSectioned)
    let page = max(1, layout.listHeight - 2)
    let from = selectedPath ?? RowPath(section: 0, row: 0)
    switch key {
    case .down, .text("j"): select(lines.row(from, movedBy: 1))
    case .up, .text("k"): select(lines.row(from, movedBy: -1))
    case .pageDown, .control("d"), .control("f"): select(lines.row(from, movedBy: page))
    case .pageUp, .control("u"), .control("b"): select(lines.row(from, movedBy: -page))
    case .tab: moveField(1)
    case .backTab: moveField(-1)
    case .text("."): eventIndex = min(eventIndex + 1, max(0, moment.events.count - 1))
    case .text(","): eventIndex = max(0, eventIndex - 1)
    default: return false
    }
    if key != .tab, key != .backTab, key != .text("."), key != .text(",") { isChasing = false }
    return true
  }

  private mutating func act(_ key: Key) -> [ScrubRequest] {
    switch key {
    case .text("q"): isOver = true
    case .text("g"): prompt = ScrubPrompt(kind: .go)
    case .text("/"): prompt = ScrubPrompt(kind: .search)
    case .text("f"): prompt = ScrubPrompt(kind: .find)
    case .text("n"), .text("N"): return again(forwards: key == .text("n"))
    case .text("m"): return mark()
    case .text("d"): return compare()
    case .text("x"): return leaveOut()
    case .text("w"): prompt = ScrubPrompt(kind: .without)
    case .text("W"): return [.supposed]
    case .text("o"):
      let (from, to) = pageRange
      prompt = ScrubPrompt(kind: .page(from: from, to: to))
    case .text("c"):
      isChasing = true
      say("the cursor goes to what changes, until you move it")
    case .text("s"): menu = fieldMenu(.sort)
    case .text("S"): menu = fieldMenu(.section)
    case .text("t"): return [.lists]
    case .text("e"): page = chosenEvent.map { eventPage($0) }
    case .enter:
      page = rowPage()
      if let id = selectedID, histories[id]?.end != moment?.end { return [.history(id)] }
    case .text("y"): say(commandLine)
    case .text("F"):
      isFollowing.toggle()
      isPlaying = false
      say(isFollowing ? "following the log's end; any step ends it" : "no longer following")
      return isFollowing ? [.goToEnd] : []
    case .text("+"), .text("="): changeSpeed(1)
    case .text("-"), .text("−"): changeSpeed(-1)
    case .text("?"): page = helpPage
    case .escape:
      isPlaying = false
      isFollowing = false
    case .text(let character): say("\(character) is no key here; ? lists them")
    default: break
    }
    return []
  }

  mutating func say(_ text: String, _ requests: [ScrubRequest]) -> [ScrubRequest] {
    say(text)
    return requests
  }

  private mutating func changeSpeed(_ by: Int) {
    speed = min(max(0, speed + by), Self.speeds.count - 1)
    say("\(speedText)\(isPlaying ? "" : "; space plays")")
  }

  private var speedText: String {
    let speed = Self.speeds[speed]
    return "\(speed == speed.rounded() ? "\(Int(speed))" : "\(speed)") transactions a second"
  }

  private mutating func mark() -> [ScrubRequest] {
    if let index = marks.firstIndex(of: position) {
      marks.remove(at: index)
      say("the mark at \(position) is gone")
      return moment?.since == position ? [.compare(since: nil)] : []
    }
    marks.append(position)
    say("marked \(position): d compares with it, ' goes to marks")
    return []
  }

  private mutating func compare() -> [ScrubRequest] {
    if moment?.since != nil {
      say("no longer comparing")
      return [.compare(since: nil)]
    }
    guard let mark = marks.last else {
      say("there is no mark to compare with: m sets one")
      return []
    }
    return [.compare(since: mark)]
  }

  /// The names of the row's fields, in the order of the pane.
  var fieldNames: [String] {
    guard let record = selectedRecord else { return [] }
    return ScrubColumns.ordered(record.members.map(\.name))
  }

  private mutating func moveField(_ by: Int) {
    let names = fieldNames
    guard !names.isEmpty else { return }
    guard let field, let index = names.firstIndex(of: field) else {
      field = by > 0 ? names.first : names.last
      return
    }
    self.field = names[(index + by + names.count) % names.count]
  }

  /// Repeats the last search.
  private mutating func again(forwards: Bool) -> [ScrubRequest] {
    guard let last else { return say("nothing was searched yet: / or f", []) }
    return request(last, forwards: forwards)
  }

  private func request(_ prompt: ScrubPrompt, forwards: Bool) -> [ScrubRequest] {
    switch prompt.kind {
    case .go: [.place(prompt.text)]
    case .search: [.search(prompt.text, from: selectedPath, forwards: forwards)]
    case .find: [.find(prompt.text, forwards: forwards)]
    case .without: [.suppose(QuotedWords.split(prompt.text))]
    case .page(let from, let to):
      [.page(prompt.text.isEmpty ? pageName(from, to) : prompt.text, from: from, to: to)]
    }
  }

  /// A key while a prompt is open.
  private mutating func type(_ key: Key) -> [ScrubRequest] {
    guard var prompt else { return [] }
    switch key {
    case .escape: self.prompt = nil
    case .backspace:
      if prompt.text.isEmpty { self.prompt = nil } else { self.prompt?.text.removeLast() }
    case .control("u"): self.prompt?.text = ""
    case .text("g") where prompt.kind == .go && prompt.text.isEmpty:
      self.prompt = nil
      return [.go(0)]
    case .text(let character): self.prompt?.text.append(character)
    case .paste(let text):
      self.prompt?.text += text.split(whereSeparator: \.isNewline).first.map { String($0.prefix(500)) } ?? ""
    case .enter:
      self.prompt = nil
      if prompt.text.isEmpty, prompt.repeats || prompt.kind == .go {
        guard let last, last.kind == prompt.kind else { return [] }
        prompt = last
      }
      if prompt.repeats { last = prompt }
      isPlaying = false
      isFollowing = false
      return request(prompt, forwards: true)
    default: break
    }
    return []
  }

  /// A key while a page is open.
  private mutating func turn(_ key: Key) {
    let height = max(1, pageHeight)
    switch key {
    case .escape, .text("q"), .enter, .text("e"), .text("?"): page = nil
    case .down, .text("j"): page?.top += 1
    case .up, .text("k"): page?.top -= 1
    case .pageDown, .text(" "): page?.top += height
    case .pageUp: page?.top -= height
    case .home, .text("g"): page?.top = 0
    case .end, .text("G"): page?.top = .max
    default: break
    }
    if let page { self.page?.top = max(0, min(page.top, page.lines.count - height)) }
  }
}
