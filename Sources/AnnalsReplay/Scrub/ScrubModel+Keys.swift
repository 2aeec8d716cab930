import Annals

extension ScrubModel {
  /// Takes a key, and returns the requests that it causes.
  mutating func handle(_ key: Key) -> [ScrubRequest] {
    message = nil
    if key == .control("c") { isOver = true }
    if isOver { return [] }
    defer { arrange() }
    if front != nil { return prompt == nil ? turn(key) : type(key) }
    guard shown != nil else {
      isOver = key == .text("q") || key == .escape
      return []
    }
    let before = motion
    let requests = press(key)
    // A step by a key ends the motion that no key changed.
    if !requests.isEmpty, motion == before { motion = .still }
    return requests
  }

  private mutating func press(_ key: Key) -> [ScrubRequest] {
    switch key {
    case .click(let x, let y): return click(x, y)
    case .wheel(let step, _, _): return moveCursor(3 * step)
    default: break
    }
    for entry in ScrubKey.all {
      if let step = entry.step(key) { return entry.act(&self, step) }
    }
    if case .text(let character) = key { say("\(character) isn't a key here; ? lists them") }
    return []
  }

  /// Selects the row under the mouse, or moves to the end of the bar's last transaction.
  private mutating func click(_ x: Int, _ y: Int) -> [ScrubRequest] {
    let (layout, list) = (layout, layout.list)
    if layout.curve.contains(x, y), let curve {
      let place = curve.end(ofBarIn: x - layout.curve.x, width: layout.curve.width)
      return [ScrubRequest { .moved(try $0.show($0.end(of: min(place, $0.log.end)))) }]
    }
    guard let lines, list.contains(x, y) else { return [] }
    let index = y - list.y - (list.height - layout.lineCount)
    let places = lines.lines(from: top, layout.lineCount)
    guard places.indices.contains(index), places[index].row >= 0 else { return [] }
    isChasing = false
    select(places[index])
    return []
  }

  mutating func say(_ text: String, _ requests: [ScrubRequest]) -> [ScrubRequest] {
    say(text)
    return requests
  }

  /// Opens a page, if there is one.
  mutating func open(_ page: ScrubPage?) -> [ScrubRequest] {
    self.page = page
    return []
  }

  /// Opens a prompt.
  mutating func ask(_ kind: ScrubPrompt.Kind, _: Int) -> [ScrubRequest] {
    prompt = ScrubPrompt(kind: kind, origin: selectedID)
    return []
  }

  var speedText: String {
    let speed = Self.speeds[speed]
    return "\(speed == speed.rounded() ? "\(Int(speed))" : "\(speed)") transactions a second"
  }

  mutating func moveCursor(_ count: Int) -> [ScrubRequest] {
    select(lines?.row(selectedPath ?? RowPath(section: 0, row: 0), movedBy: count))
    isChasing = false
    return []
  }

  mutating func mark() -> [ScrubRequest] {
    guard let index = marks.firstIndex(of: position) else {
      marks.append(position)
      return say("marked \(position): d compares with it, ' goes to marks", [])
    }
    marks.remove(at: index)
    say("the mark at \(position) is gone")
    return shown?.since == position ? [ScrubRequest { .moved(try $0.compare(since: nil)) }] : []
  }

  mutating func compare() -> [ScrubRequest] {
    if shown?.since != nil {
      return say("no longer comparing", [ScrubRequest { .moved(try $0.compare(since: nil)) }])
    }
    guard let mark = marks.last else { return say("there is no mark to compare with: m sets one", []) }
    return [ScrubRequest { .moved(try $0.compare(since: mark)) }]
  }

  /// The names of the row's fields, in the order of the pane.
  var fieldNames: [String] { ScrubColumns.ordered(selectedRecord?.members.map(\.name) ?? []) }

  mutating func moveField(_ step: Int) -> [ScrubRequest] {
    let names = fieldNames
    if names.isEmpty { return [] }
    let index = field.flatMap(names.firstIndex) ?? (step > 0 ? -1 : names.count)
    field = names[(index + step + names.count) % names.count]
    return []
  }

  /// The request of a prompt.
  ///
  /// A step of 0 begins at the row under the cursor, 1 and -1 after and before it.
  func request(_ prompt: ScrubPrompt, step: Int) -> [ScrubRequest] {
    let text = prompt.text
    switch prompt.kind {
    case .go:
      return [
        ScrubRequest { engine in
          let place = try engine.show(engine.session.place(text, of: "go to", in: engine.log))
          return .moved(place, note: engine.notes.text.isEmpty ? nil : engine.notes.text)
        }
      ]
    case .search:
      let path = selectedID.flatMap { shown?.list?.rows.path(of: $0) } ?? selectedPath
      return [ScrubRequest("searching…", .search) { try $0.search(text, from: path, step: step) }]
    case .find: return [ScrubRequest("looking for it…", .search) { try $0.find(text, forwards: step >= 0) }]
    case .without: return [suppose(QuotedWords.split(text))]
    case .page(let from, let to):
      let file = text.isEmpty ? pageName(from, to) : text
      return [ScrubRequest("writing the page…") { try $0.writePage(file, from: from, to: to) }]
    }
  }

  /// A key while a prompt is open.
  private mutating func type(_ key: Key) -> [ScrubRequest] {
    guard var prompt else { return [] }
    switch key {
    case .escape: return close(prompt)
    case .backspace:
      if prompt.text.isEmpty { return close(prompt) }
      prompt.text.removeLast()
    case .control("u"): prompt.text = ""
    case .text("g") where prompt.kind == .go && prompt.text.isEmpty:
      front = nil
      return [.go(0)]
    case .text(let character): prompt.text.append(character)
    case .paste(let text):
      prompt.text += text.split(whereSeparator: \.isNewline).first.map { String($0.prefix(500)) } ?? ""
    case .enter:
      (front, filtered) = (nil, nil)
      if prompt.text.isEmpty, prompt.repeats || prompt.kind == .go {
        guard let last, last.kind == prompt.kind else { return [] }
        return request(last, step: 1)
      }
      if prompt.repeats { last = prompt }
      motion = .still
      return request(prompt, step: 0)
    case .up, .wheel(-1, _, _): return moveCursor(-1)
    case .down, .wheel(1, _, _): return moveCursor(1)
    case .click(let x, let y): return click(x, y)
    default: break
    }
    self.prompt = prompt
    if prompt.text.isEmpty { filtered = nil }
    return []
  }

  /// Closes a prompt without its request, with the cursor where it was.
  private mutating func close(_ prompt: ScrubPrompt) -> [ScrubRequest] {
    (front, filtered) = (nil, nil)
    if prompt.kind == .search { selectedID = prompt.origin ?? selectedID }
    return []
  }

  /// A key while a page or a menu is open.
  private mutating func turn(_ key: Key) -> [ScrubRequest] {
    guard var page else { return [] }
    let (isMenu, height) = (!page.settings.isEmpty, max(1, pageArea.height))
    func move(_ count: Int) {
      page.chosen = min(max(0, page.chosen + count), page.lines.count - 1)
      // A menu scrolls with its cursor.
      let top = isMenu ? page.chosen - height / 2 : min(page.top, page.lines.count) + count
      page.top = max(0, min(top, page.lines.count - height))
    }
    switch key {
    case .escape, .text("q"): return open(nil)
    case .enter: return isMenu ? choose(page.settings[page.chosen]) : open(nil)
    case .down, .text("j"): move(1)
    case .up, .text("k"): move(-1)
    case .wheel(let step, _, _): move(isMenu ? step : 3 * step)
    case .pageDown: move(height)
    case .pageUp: move(-height)
    case .home: move(-page.lines.count)
    case .end: move(page.lines.count)
    case .click(let x, let y) where isMenu && pageArea.contains(x, y) && y - pageArea.y + page.top < page.lines.count:
      return choose(page.settings[y - pageArea.y + page.top])
    case .text(let letter) where isMenu:
      // The next item that begins with the letter.
      let start = letter.lowercased()
      let order = (1...page.lines.count).map { (page.chosen + $0) % page.lines.count }
      let found = order.first { page.lines[$0].map(\.text).joined().lowercased().hasPrefix(start) }
      if let found { move(found - page.chosen) }
    case .text(" "): move(height)
    case .text("g"): move(-page.lines.count)
    case .text("G"): move(page.lines.count)
    case .text("e"), .text("?"): return open(nil)
    default: break
    }
    self.page = page
    return []
  }

  private mutating func choose(_ setting: ScrubSetting) -> [ScrubRequest] {
    front = nil
    return [.open(setting, at: position)]
  }
}
