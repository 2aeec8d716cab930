import Annals

extension ScrubModel {
  /// The screen as it is now.
  func screen() -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    let layout = layout
    drawFrame(layout, into: &screen)
    drawHeading(layout, into: &screen)
    if let page {
      draw(page, in: pageArea, into: &screen)
    } else {
      drawList(in: layout.list, into: &screen)
      if let side = layout.side { drawSide(in: side, into: &screen) }
      if let cause = layout.cause { screen.write(causeLine, cause.x, cause.y, width: cause.width, .dim) }
    }
    drawCurve(layout.curve, into: &screen)
    drawStatus(layout.status, into: &screen)
    return screen
  }

  /// The place of a page.
  var pageArea: ScrubLayout.Area {
    let (list, status) = (layout.list, layout.status)
    return .init(x: list.x, y: list.y, width: status.width, height: list.height)
  }

  private func drawFrame(_ layout: ScrubLayout, into screen: inout Screen) {
    guard layout.hasFrame else { return }
    for y in 0..<rows {
      screen.fill(0, y, width: 1, "│", .dim)
      screen.fill(columns - 1, y, width: 1, "│", .dim)
    }
    for (y, ends) in [(0, "┌┐"), (layout.list.y - 1, "├┤"), (rows - 3, "├┤"), (rows - 1, "└┘")] {
      drawRule(y, ends, into: &screen)
    }
    func title(_ text: String, _ x: Int, width: Int) {
      screen.write(" " + Text.cut(Text.safe(text), to: width - 2) + " ", x, layout.list.y - 1, width: width, .bold)
    }
    if let page { return title(page.title, 2, width: columns - 4) }
    guard let side = layout.side else { return }
    let bar = side.x - 2
    for y in layout.list.y..<layout.list.y + layout.list.height { screen.fill(bar, y, width: 1, "│", .dim) }
    screen.fill(bar, layout.list.y - 1, width: 1, "┬", .dim)
    screen.fill(bar, rows - 3, width: 1, "┴", .dim)
    // The heading of the first row in sight may be above.
    let section = top.row >= 0 && lines?.isSectioned == true ? list?.section(top.section).title : nil
    title("list" + (section.map { ": \($0)" } ?? ""), 2, width: bar - 4)
    title(shown?.since.map { "what changed since \($0)" } ?? "what did it", bar + 2, width: side.width - 2)
  }

  /// Draws a line of the frame from edge to edge.
  private func drawRule(_ y: Int, _ ends: String, _ line: Character = "─", into screen: inout Screen) {
    screen.fill(0, y, width: columns, line, .dim)
    screen.write(String(ends.prefix(1)), 0, y, .dim)
    screen.write(String(ends.suffix(1)), columns - 1, y, .dim)
  }

  private func drawHeading(_ layout: ScrubLayout, into screen: inout Screen) {
    let (inset, pad) = layout.hasFrame ? (2, " ") : (0, "")
    let width = columns - 2 * inset
    var (left, right) = (facts.name, "")
    if let shown {
      right = "\(shown.position) / \(shown.end)"
      if let time = shown.time, width >= 60 { right += facts.times.clause("  ", time) }
      if let list = shown.list { left += "  \(list.name)" }
      let setting = shown.setting
      if let section = setting.section ?? facts.value("--section-by") { left += " by \(section)" }
      if let sort = setting.sort.map({ (setting.descends ? "-" : "") + $0 }) ?? facts.value("--sort") {
        left += ", " + (sort.hasPrefix("-") ? "−" + sort.dropFirst() : sort)
      }
    }
    if let page, !layout.hasFrame { left = page.title }
    let room = width - min(Text.width(right), width) - 2
    if room >= 6 {
      screen.write(pad + Text.cut(Text.safe(left), to: room - 2) + pad, inset, 0, width: room, .bold)
    }
    let text = pad + right + pad
    screen.write(
      text, columns - inset - min(width, Text.width(text)), 0, width: width,
      CellStyle(colour: shown?.since == nil ? nil : .yellow, isBold: true))
  }

  private func drawCurve(_ area: ScrubLayout.Area, into screen: inout Screen) {
    guard area.height > 0, let curve, let shown, shown.end > 0 else { return }
    screen.write(curve.bars(width: area.width), area.x, area.y, width: area.width, .of(.blue), isCut: false)
    let hasMarks = area.height > 1
    func put(_ character: Character, at position: Position, _ style: CellStyle) {
      let x = area.x + curve.column(of: position, width: area.width)
      screen.fill(x, area.y + (hasMarks ? 1 : 0), width: 1, character, style)
    }
    if hasMarks, let history {
      for step in history.steps.prefix(2_000) where step.position <= shown.end {
        put("·", at: step.position, .of(.yellow))
      }
    }
    for mark in marks where mark <= shown.end { put("▼", at: mark, .of(.green)) }
    put(hasMarks ? "▲" : "│", at: shown.position, CellStyle(colour: .cyan, isBold: true))
    let column = curve.column(of: shown.position, width: area.width)
    screen.style(area.x + column, area.y, width: 1) { $0.isReversed = true }
    guard area.height > 2 else { return }
    // The first date is at the left edge, the last one at the right edge.
    let last = max(1, area.width / 18)
    let dates = (0...last).map { index in
      let time = curve.time(ofColumn: index * (area.width - 1) / last, width: area.width)
      return time.flatMap { facts.times.column($0).first } ?? ""
    }
    let form = CellText.DateForm(dates)
    var former = ""
    for (index, date) in dates.enumerated() {
      let text = CellText.text(.string(date), form)
      if text != former {
        screen.write(text, area.x + (area.width - Text.width(text)) * index / last, area.y + 2, .dim)
      }
      former = text
    }
  }

  private func drawStatus(_ area: ScrubLayout.Area, into screen: inout Screen) {
    func write(_ text: String, _ style: CellStyle) { screen.write(text, area.x, area.y, width: area.width, style) }
    if let prompt {
      // The end of your input is in sight.
      let found = filtered.map { "  \($0.rowCount < FilteredRows.most ? "" : "the first ")\($0.rowCount) found" } ?? ""
      let last = area.x + area.width - Text.width(found)
      var text = Text.safe(prompt.text)
      while Text.width(prompt.title + text) >= last - area.x, !text.isEmpty { text.removeFirst() }
      let end = screen.write(
        [(prompt.title, .bold), (text, .plain), (" ", .chosen)], area.x, area.y, width: last - area.x)
      if text.isEmpty { screen.write(promptHint(prompt.kind), end + 1, area.y, width: last - end - 1, .dim) }
      screen.write(found, last, area.y, .dim)
    } else if let work {
      let wheel = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
      write("\(wheel[work.frame % wheel.count]) \(work.text)", .of(.cyan))
    } else if let message {
      draw(message, in: area, into: &screen)
    } else {
      let state =
        switch motion {
        case .still: ""
        case .playing: "▶ playing   "
        case .following: "● following   "
        }
      write(state + keyHint(area.width - Text.width(state)), .dim)
    }
  }

  /// Draws a message above the last row, too, where it is long.
  private func draw(_ message: ScrubMessage, in area: ScrubLayout.Area, into screen: inout Screen) {
    let lines = Screen.wrapped([(message.text, message.isError ? .of(.red) : .plain)], to: area.width)
      .prefix(max(1, rows - 2))
    let first = area.y - lines.count + 1
    if layout.hasFrame { drawRule(first - 1, "├┤", into: &screen) }
    if page == nil, let side = layout.side { screen.fill(side.x - 2, first - 1, width: 1, "┴", .dim) }
    for (index, line) in lines.enumerated() {
      drawRule(first + index, layout.hasFrame ? "││" : "  ", " ", into: &screen)
      screen.write(line, area.x, first + index, width: area.width)
    }
  }

  private func promptHint(_ kind: ScrubPrompt.Kind) -> String {
    switch kind {
    case .go: "120, -5, last, '2 days ago', 10:00, tx:, id:, cmd:"
    case .search: "a part of a row's text; ⏎ goes there, n N go on"
    case .find: "price > 90, count > 3, or type:Book* author:ann"
    case .without: "6, 5..9, cmd:ID, type:Book*, or nothing"
    case .page(let from, let to): "a file, by default \(pageName(from, to))"
    }
  }

  /// As many of the keys as fit, the most needed first.
  private func keyHint(_ width: Int) -> String {
    if let page {
      let (first, last) = (page.top + 1, min(page.top + pageArea.height, page.lines.count))
      let place = last - first + 1 < page.lines.count ? "  lines \(first) to \(last) of \(page.lines.count)" : ""
      return (page.settings.isEmpty ? "↑↓ scroll  ⎋ close" : "↑↓ choose  ⏎ take  ⎋ close") + place
    }
    if shown == nil { return "q quit" }
    var line = ""
    for hint in ScrubKey.all.compactMap(\.hint) {
      let next = line.isEmpty ? hint : line + "  " + hint
      if Text.width(next) > width { break }
      line = next
    }
    return line
  }

  private func draw(_ page: ScrubPage, in area: ScrubLayout.Area, into screen: inout Screen) {
    for (index, line) in page.lines.enumerated().dropFirst(page.top).prefix(max(0, area.height)) {
      let y = area.y + index - page.top
      screen.write(line, area.x, y, width: area.width)
      if !page.settings.isEmpty, index == page.chosen { screen.style(area.x, y, width: area.width) { $0 = .chosen } }
    }
  }
}
