import Annals

extension ScrubModel {
  /// The fields of the first rows, and the list's own order or sections.
  func fieldMenu(_ field: WritableKeyPath<ScrubSetting, String?>) -> ScrubPage? {
    guard let shown, let list = shown.list?.rows else { return nil }
    let isSort = field == \.sort
    let records = list.firstRecords(50) + [selectedRecord].compactMap { $0 }
    let names = ScrubColumns.ordered(records.flatMap { $0.members.map(\.name) }) + (isSort ? ["id"] : [])
    var setting = shown.setting
    setting[keyPath: field] = nil
    if isSort { setting.descends = false }
    var page = ScrubPage(title: isSort ? "sort by" : "sections by", lines: [], settings: [setting])
    page.lines = [[(isSort ? "(the list's own order)" : "(the list's own sections)", .plain)]]
    for name in names {
      setting[keyPath: field] = name
      // The field that sorts already sorts in the other order.
      if isSort { setting.descends = shown.setting.sort == name && !shown.setting.descends }
      page.settings.append(setting)
      page.lines.append([(isSort && setting.descends ? "\(name), descending" : name, .plain)])
    }
    page.chosen = page.settings.firstIndex { $0[keyPath: field] == shown.setting[keyPath: field] } ?? 0
    return page
  }

  /// Opens a menu of the log's lists.
  mutating func chooseList(_ lists: [ScrubSetting]) {
    guard lists.count > 1 else { return say("the log has one list") }
    let names = lists.map { $0.list ?? "" }
    page = ScrubPage(
      title: "list", lines: names.map { [($0, .plain)] },
      settings: lists.map { list in
        var setting = list
        setting.without = shown?.setting.without
        return setting
      },
      chosen: names.firstIndex { $0 == shown?.list?.name } ?? 0)
  }

  /// The command that prints the shown list.
  var commandLine: String {
    var words = [facts.tool]
    if let since = shown?.since {
      words += ["diff", facts.log, "\(since)..\(position)"]
    } else {
      words += ["show", facts.log, "\(position)"]
    }
    let options = (shown?.setting ?? ScrubSetting()).options(facts.options)
    // A value that begins with a hyphen isn't another option.
    words += options.flatMap { $0.value.hasPrefix("-") ? ["\($0.name)=\($0.value)"] : [$0.name, $0.value] }
    return words.map(Self.quoted).joined(separator: " ")
  }

  /// A word as a shell reads it.
  private static func quoted(_ word: String) -> String {
    func isPlain(_ byte: Unicode.Scalar) -> Bool {
      byte.isASCII && (byte.properties.isAlphabetic || "0123456789-_./:=,@+%".unicodeScalars.contains(byte))
    }
    return !word.isEmpty && word.unicodeScalars.allSatisfy(isPlain) ? word : Completions.quoted(word)
  }
}
