import Annals

/// The data of a page, and a list that goes from batch to batch with it.
///
/// It is written from the form that `PageList` documents, and not from the page's script.
struct PageModel {
  struct Problem: Error {
    let text: String
  }

  /// A list as it is after some batches.
  struct State: Equatable {
    var sections: [JSONList.Section] = []
  }

  let data: JSONValue
  /// By list: the position and the sections after each batch, beginning with the start.
  let lists: [[(position: Int, sections: [JSONList.Section])]]

  /// Reads the page that the tool wrote.
  init(_ page: String) throws {
    let begin = "<script type=\"application/json\" id=\"data\">"
    guard let start = page.firstRange(of: begin)?.upperBound,
      let end = page[start...].firstRange(of: "</script>")?.lowerBound
    else { throw Problem(text: "no data") }
    data = try JSONValue(parsing: String(page[start..<end]))
    let from = data["from"]?.int ?? -1
    lists = try (data["lists"]?.array ?? []).map { try Self.states(of: $0, from: from) }
  }

  /// The payloads of the events, or nil of one without.
  var payloads: [String?] { (data["events"]?.array ?? []).map { ($0.array ?? []).dropFirst(10).first?.string } }
  /// The headlines of the events, or nil of one without.
  var headlines: [String?] {
    (data["events"]?.array ?? []).map { event in
      event.array?.dropFirst(9).first?.int.flatMap { $0 < 0 ? nil : data["words"]?.array?[$0].string }
    }
  }
  /// The positions of the events.
  var positions: [Int] {
    var last = 0
    return (data["events"]?.array ?? []).map { event in
      last += event.array?.first?.int ?? 0
      return last
    }
  }

  private static func states(
    of list: JSONValue, from: Int
  ) throws -> [(position: Int, sections: [JSONList.Section])] {
    let columns = (list["columns"]?.array ?? []).map { $0.string ?? "" }
    let shapes = (list["shapes"]?.array ?? []).map { ($0.array ?? []).map { $0.int ?? -1 } }
    func row(_ value: JSONValue) throws -> JSONList.Row {
      guard let parts = value.array, parts.count > 1, let id = parts[0].string, let shape = parts[1].int else {
        throw Problem(text: "a row: \(value.text)")
      }
      let members = try zip(shapes[shape], parts.dropFirst(2)).map { (columns[$0], try Self.value($1)) }
      guard parts.count == shapes[shape].count + 2 else { throw Problem(text: "a row's shape: \(value.text)") }
      return JSONList.Row(id: id, fields: object(members))
    }
    func patched(_ row: JSONList.Row, _ patch: JSONValue) throws -> JSONList.Row {
      guard let parts = patch.array else { return row }
      var fields: [(String, JSONValue)] = []
      if case .object(let members) = row.fields { fields = members.map { ($0.name, $0.value) } }
      for at in stride(from: 0, to: parts.count, by: 2) {
        let name = columns[parts[at].int ?? -1]
        fields.removeAll { Array($0.0.utf8) == Array(name.utf8) }
        if parts[at + 1] != .array([]) { fields.append((name, try Self.value(parts[at + 1]))) }
      }
      return JSONList.Row(id: row.id, fields: object(fields))
    }
    var sections = try (list["start"]?.array ?? []).map { section in
      let parts = section.array ?? []
      return JSONList.Section(
        key: .null, title: parts[0].string ?? "", rows: try (parts[2].array ?? []).map(row))
    }
    var states = [(position: from, sections: sections)]
    for batch in list["batches"]?.array ?? [] {
      for passed in batch["b"]?.array ?? [] { try apply(passed, to: &sections, row: row, patched: patched) }
      try apply(batch, to: &sections, row: row, patched: patched)
      states.append((batch["to"]?.int ?? -1, sections))
    }
    return states
  }

  private static func apply(
    _ batch: JSONValue, to sections: inout [JSONList.Section], row: (JSONValue) throws -> JSONList.Row,
    patched: (JSONList.Row, JSONValue) throws -> JSONList.Row
  ) throws {
    let old = sections
    var (gone, coming) = ([Int: Set<Int>](), [Int: [Int: JSONList.Row]]())
    for change in batch["r"]?.array ?? [] {
      let parts = change.array ?? []
      let at = parts.prefix(5).map { $0.int ?? -1 }
      switch at[0] {
      case 0: gone[at[1], default: []].insert(at[2])
      case 1: coming[at[1], default: [:]][at[2]] = try row(parts[3])
      case 2:
        gone[at[1], default: []].insert(at[2])
        coming[at[3], default: [:]][at[4]] = try patched(old[at[1]].rows[at[2]], parts[5])
      case 3: sections[at[1]].rows[at[2]] = try patched(old[at[1]].rows[at[2]], parts[3])
      default: throw Problem(text: "a change of rows: \(change.text)")
      }
    }
    for (section, rows) in gone {
      sections[section].rows = sections[section].rows.indices.filter { !rows.contains($0) }
        .map { sections[section].rows[$0] }
    }
    try applySections(batch["s"]?.array ?? [], to: &sections)
    for (section, rows) in coming {
      for (index, row) in rows.sorted(by: { $0.key < $1.key }) { sections[section].rows.insert(row, at: index) }
    }
  }

  private static func applySections(_ changes: [JSONValue], to sections: inout [JSONList.Section]) throws {
    let old = sections
    var (taken, placed, titles) = (Set<Int>(), [Int: JSONList.Section](), [Int: String]())
    for change in changes {
      let parts = change.array ?? []
      let at = parts.map { $0.int ?? -1 }
      switch at[0] {
      case 0: taken.insert(at[1])
      case 1: placed[at[1]] = JSONList.Section(key: .null, title: parts[2].string ?? "?", rows: [])
      case 2:
        taken.insert(at[1])
        placed[at[2]] = old[at[1]]
      case 3: titles[at[2]] = parts[3].string
      default: throw Problem(text: "a change of sections: \(change.text)")
      }
    }
    var rest = old.indices.filter { !taken.contains($0) }.map { old[$0] }[...]
    sections = try (0..<rest.count + placed.count).map { index in
      guard let section = placed[index] ?? rest.popFirst() else { throw Problem(text: "too few sections") }
      return section
    }
    for (index, title) in titles { sections[index].title = title }
  }

  /// A value in the page's form; a hidden one is the text of the form.
  private static func value(_ value: JSONValue) throws -> JSONValue {
    guard let parts = value.array else { return value }
    if parts == [0] { return .string("[0]") }
    guard parts.count == 1, let text = parts[0].string else { throw Problem(text: "a value: \(value.text)") }
    return try JSONValue(parsing: text)
  }

  private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    var value = JSONValue.object([])
    for (name, member) in members { value[name] = member }
    return value
  }
}

extension JSONList {
  /// The sections without their keys, which a page does not tell.
  var titled: [Section] { sections.map { Section(key: .null, title: $0.title, rows: $0.rows) } }
}
