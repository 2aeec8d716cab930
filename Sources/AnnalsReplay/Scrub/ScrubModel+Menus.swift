import Annals

extension ScrubModel {
  /// The fields of the rows in sight, and the app's own order or cut.
  func fieldMenu(_ kind: ScrubMenu.Kind) -> ScrubMenu? {
    guard let moment, let heading else { return nil }
    var names: [String] = []
    var path = moment.list.path(after: RowPath(section: 0, row: -1), forwards: true)
    for _ in 0..<min(50, moment.list.rowCount) {
      guard let here = path else { break }
      for member in moment.list.record(at: here).members where !names.contains(member.name) {
        names.append(member.name)
      }
      path = moment.list.path(after: here, forwards: true)
    }
    if let selectedRecord {
      for member in selectedRecord.members where !names.contains(member.name) { names.append(member.name) }
    }
    var setting = heading.setting
    if kind == .sort {
      (setting.sort, setting.descends) = (nil, false)
    } else {
      setting.section = nil
    }
    var items = [(text: kind == .sort ? "(the list's own order)" : "(the list's own sections)", setting: setting)]
    for name in ScrubColumns.ordered(names) + (kind == .sort ? ["id"] : []) {
      if kind == .sort {
        setting.sort = name
        // The field that sorts already sorts the other way.
        setting.descends = heading.setting.sort == name && !heading.setting.descends
        items.append((setting.descends ? "\(name), descending" : name, setting))
      } else {
        setting.section = name
        items.append((name, setting))
      }
    }
    let now = heading.setting
    let chosen = items.firstIndex { kind == .sort ? $0.setting.sort == now.sort : $0.setting.section == now.section }
    return ScrubMenu(
      kind: kind, title: kind == .sort ? "sort by" : "sections by", items: items, chosen: chosen ?? 0)
  }

  /// Offers the lists of the log.
  mutating func chooseList(_ lists: [ScrubSetting]) {
    guard lists.count > 1 else { return say("the log has one list") }
    let without = heading?.setting.without
    menu = ScrubMenu(
      kind: .list, title: "list",
      items: lists.map { list in
        var setting = list
        setting.without = without
        return (list.list ?? "", setting)
      },
      chosen: lists.firstIndex { $0.list == heading?.name } ?? 0)
  }

  /// A key while a menu is open.
  mutating func chooseItem(_ key: Key) -> [ScrubRequest] {
    guard let menu else { return [] }
    switch key {
    case .escape, .text("q"): self.menu = nil
    case .down, .text("j"): self.menu?.chosen = min(menu.chosen + 1, menu.items.count - 1)
    case .up, .text("k"): self.menu?.chosen = max(menu.chosen - 1, 0)
    case .home: self.menu?.chosen = 0
    case .end: self.menu?.chosen = menu.items.count - 1
    case .enter:
      self.menu = nil
      return [.open(menu.items[menu.chosen].setting, at: position)]
    case .text(let letter):
      // The next item that begins so.
      let order = (1...menu.items.count).map { (menu.chosen + $0) % menu.items.count }
      let start = String(letter).lowercased()
      if let index = order.first(where: { menu.items[$0].text.lowercased().hasPrefix(start) }) {
        self.menu?.chosen = index
      }
    default: break
    }
    return []
  }

  /// The command that prints what is shown.
  var commandLine: String {
    var words = [facts.tool]
    if let since = moment?.since {
      words += ["diff", facts.log, "\(since)..\(position)"]
    } else {
      words += ["show", facts.log, "\(position)"]
    }
    let options = (heading?.setting ?? ScrubSetting()).options(facts.options)
    // An option's value that begins with a hyphen is no other option.
    words += options.flatMap { $0.value.hasPrefix("-") ? ["\($0.name)=\($0.value)"] : [$0.name, $0.value] }
    return words.map(Self.quoted).joined(separator: " ")
  }

  /// A word as a shell reads it.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./:=,@+%".utf8.contains(byte)
        }
      }
    return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}
