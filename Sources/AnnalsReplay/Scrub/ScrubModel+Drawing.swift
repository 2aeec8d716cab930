import Annals

extension ScrubModel {
  /// The screen as it is now.
  func screen() -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    let layout = layout
    drawFrame(layout, into: &screen)
    drawHeading(layout, into: &screen)
    if let page {
      draw(page.lines, from: page.top, in: pageArea(layout), into: &screen)
    } else if let menu {
      drawMenu(menu, in: pageArea(layout), into: &screen)
    } else {
      drawList(in: layout.list, into: &screen)
      if let side = layout.side { drawSide(in: side, into: &screen) }
      if let cause = layout.cause {
        screen.write(causeLine, cause.x, cause.y, width: cause.width, .dim)
      }
    }
    drawCurve(layout, into: &screen)
    drawStatus(layout, into: &screen)
    return screen
  }

  /// The number of lines of a page in sight.
  var pageHeight: Int { pageArea(layout).height }

  private func pageArea(_ layout: ScrubLayout) -> ScrubLayout.Area {
    let list = layout.list
    return .init(x: list.x, y: list.y, width: layout.hasFrame ? columns - 4 : list.width, height: list.height)
  }

  private func drawFrame(_ layout: ScrubLayout, into screen: inout Screen) {
    guard layout.hasFrame else { return }
    let style = CellStyle.dim
    func line(_ y: Int, _ left: Character, _ right: Character) {
      screen.fill(0, y, width: columns, "─", style)
      screen.fill(0, y, width: 1, left, style)
      screen.fill(columns - 1, y, width: 1, right, style)
    }
    for y in 0..<rows {
      screen.fill(0, y, width: 1, "│", style)
      screen.fill(columns - 1, y, width: 1, "│", style)
    }
    line(0, "┌", "┐")
    line(rows - 1, "└", "┘")
    line(layout.list.y - 1, "├", "┤")
    line(rows - 3, "├", "┤")
    func title(_ text: String, _ x: Int, _ y: Int, width: Int) {
      screen.write(" " + Text.cut(Text.safe(text), to: width - 2) + " ", x, y, width: width, .bold)
    }
    if page != nil || menu != nil {
      title(page?.title ?? menu?.title ?? "", 2, layout.list.y - 1, width: columns - 4)
      return
    }
    guard let side = layout.side else { return }
    let bar = side.x - 2
    for y in layout.list.y..<layout.list.y + layout.list.height { screen.fill(bar, y, width: 1, "│", style) }
    screen.fill(bar, layout.list.y - 1, width: 1, "┬", style)
    screen.fill(bar, rows - 3, width: 1, "┴", style)
    title("list", 2, layout.list.y - 1, width: bar - 4)
    let what = moment?.since.map { "what changed since \($0)" } ?? "what did it"
    title(what, bar + 2, layout.list.y - 1, width: side.width - 2)
  }

  private func drawHeading(_ layout: ScrubLayout, into screen: inout Screen) {
    let inset = layout.hasFrame ? 2 : 0
    let width = columns - 2 * inset
    var right = ""
    if let moment {
      right = "\(moment.position) / \(moment.end)"
      if let time = moment.time, width >= 60 { right += facts.times.clause("  ", time) }
    }
    let rightWidth = min(Text.width(right), width)
    var left = facts.log.split(separator: "/").last.map(String.init) ?? facts.log
    if let heading {
      left += "  \(heading.name)"
      let setting = heading.setting
      if let section = setting.section ?? facts.value("--section-by") { left += " by \(section)" }
      if let sort = setting.sort.map({ (setting.descends ? "-" : "") + $0 }) ?? facts.value("--sort") {
        left += ", " + (sort.hasPrefix("-") ? "−" + sort.dropFirst() : sort)
      }
    }
    let room = width - rightWidth - 2
    if room >= 6 {
      let text = Text.cut(Text.safe(left), to: room - 2)
      screen.write(layout.hasFrame ? " \(text) " : text, inset, 0, width: room, .bold)
    }
    let text = layout.hasFrame ? " \(right) " : right
    let x = columns - inset - min(width, Text.width(text))
    screen.write(text, x, 0, width: width, moment?.since == nil ? .bold : CellStyle(colour: .yellow, isBold: true))
  }

  private func drawCurve(_ layout: ScrubLayout, into screen: inout Screen) {
    guard let bars = layout.bars, let curve, let moment, moment.end > 0 else { return }
    screen.write(curve.bars(width: bars.width), bars.x, bars.y, width: bars.width, .of(.blue), isCut: false)
    let line = layout.marks ?? bars
    func put(_ character: Character, at position: Position, _ style: CellStyle) {
      screen.fill(line.x + curve.column(of: position, width: line.width), line.y, width: 1, character, style)
    }
    if layout.marks != nil, let id = selectedID, let history = histories[id] {
      for step in history.steps.prefix(2_000) where step.position <= moment.end {
        put("·", at: step.position, .of(.yellow))
      }
    }
    for mark in marks where mark <= moment.end { put("▼", at: mark, .of(.green)) }
    put(layout.marks == nil ? "│" : "▲", at: moment.position, CellStyle(colour: .cyan, isBold: true))
    screen.style(
      bars.x + curve.column(of: moment.position, width: bars.width), bars.y, width: 1
    ) { $0 = $0.reversed }
  }

  private func drawStatus(_ layout: ScrubLayout, into screen: inout Screen) {
    let area = layout.status
    if let prompt {
      // The end of what you type is in sight.
      let title = prompt.title
      var text = Text.safe(prompt.text)
      let room = max(1, area.width - Text.width(title) - 1)
      while Text.width(text) > room { text.removeFirst() }
      let end = screen.write(title, area.x, area.y, width: area.width, .bold)
      let x = screen.write(text, end, area.y, width: max(0, area.x + area.width - end), isCut: false)
      screen.fill(x, area.y, width: x < area.x + area.width ? 1 : 0, " ", .chosen)
      if text.isEmpty, x + 2 < area.x + area.width {
        screen.write(promptHint(prompt.kind), x + 2, area.y, width: area.x + area.width - x - 2, .dim)
      }
      return
    }
    if let work {
      let wheel = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
      screen.write(
        "\(wheel[work.frame % wheel.count]) \(work.text)", area.x, area.y, width: area.width, .of(.cyan))
      return
    }
    if let message {
      screen.write(
        message.text.replacing("\n", with: "; "), area.x, area.y, width: area.width,
        message.isError ? .of(.red) : .plain)
      return
    }
    let state = isPlaying ? "▶ playing   " : isFollowing ? "● following   " : ""
    screen.write(state + keyHint(area.width - Text.width(state)), area.x, area.y, width: area.width, .dim)
  }

  private func promptHint(_ kind: ScrubPrompt.Kind) -> String {
    switch kind {
    case .go: "120, -5, first, last, '2 days ago', 10:00, tx:LABEL, id:EVENT, cmd:COMMAND; g the beginning"
    case .search: "words of a row; n and N repeat"
    case .find: "price > 90, count > 3, or type:BookRepriced author:ann; n and N repeat"
    case .without: "6, 5..9, cmd:ID, type:Book*, author:ann; nothing for the log as it is"
    case .page(let from, let to): "a file, by default \(pageName(from, to))"
    }
  }

  /// As many of the keys as fit, the most needed first.
  private func keyHint(_ width: Int) -> String {
    if page != nil { return "↑↓ scroll  ⎋ close" }
    if menu != nil { return "↑↓ choose  ⏎ take  ⎋ close" }
    guard moment != nil else { return "q quit" }
    let keys = [
      "←→ transaction", "↑↓ row", "? keys", "q quit", "⇧ event", "[ ] row's changes", "g go", "/ search", "f find",
      "x without", "m mark", "d diff", "e event", "b blame", "{ } stream", "⌥ 100", "s sort", "S sections",
      "y command", "o page",
    ]
    var line = ""
    for key in keys {
      let next = line.isEmpty ? key : line + "  " + key
      if Text.width(next) > width { break }
      line = next
    }
    return line
  }

  /// Lines of pieces, from one of them on, as many as fit.
  func draw(_ lines: [ScrubLine], from top: Int, in area: ScrubLayout.Area, into screen: inout Screen) {
    for (index, line) in lines.dropFirst(max(0, top)).prefix(max(0, area.height)).enumerated() {
      var x = area.x
      for piece in line where x < area.x + area.width {
        x = screen.write(piece.text, x, area.y + index, width: area.x + area.width - x, piece.style)
      }
    }
  }

  private func drawMenu(_ menu: ScrubMenu, in area: ScrubLayout.Area, into screen: inout Screen) {
    let top = max(0, min(menu.chosen - area.height / 2, menu.items.count - area.height))
    for (index, item) in menu.items.enumerated().dropFirst(top).prefix(max(0, area.height)) {
      let style: CellStyle = index == menu.chosen ? .chosen : .plain
      screen.fill(area.x, area.y + index - top, width: area.width, " ", style)
      screen.write(" " + item.text, area.x, area.y + index - top, width: area.width, style)
    }
  }
}
