import AnnalsLog
import Foundation

/// The tables of drafts, which are branches whose commands are kept so that they can be merged later.
///
/// The tables are created when the first draft is kept. You must not delete them, because their contents are not stored
/// elsewhere.
struct DraftTables {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True once the tables exist, because they are created when the first draft is kept.
  var exist: Bool {
    get throws { try connection.hasTable("draft") && connection.hasTable("draft_command") }
  }

  func summaries(in path: String) throws -> [DraftSummary] {
    guard try exist else { return [] }
    var found: [DraftSummary] = []
    try connection.statement(
      """
      SELECT name, id, edition, changed, (SELECT count(*) FROM draft_command WHERE draft = name) FROM draft
      ORDER BY name
      """
    ).run { row in
      found.append(
        DraftSummary(
          version: DraftVersion(
            name: row.text(0) ?? "", id: row.text(1) ?? "",
            edition: try LogNumber.checked(row.int(2), "a draft's edition number", in: path)),
          count: Int(row.int(4)), changed: Date(microseconds: row.int(3))))
    }
    return found
  }

  func draft(named name: String, in path: String) throws -> KeptDraft? {
    guard try exist else { return nil }
    let find = try connection.statement("SELECT id, edition, last FROM draft WHERE name = ?1")
    try find.bind(1, name)
    var found: (version: DraftVersion, last: Int)?
    try find.run { row in
      found = (
        DraftVersion(
          name: name, id: row.text(0) ?? "",
          edition: try LogNumber.checked(row.int(1), "a draft's edition number", in: path)),
        try LogNumber.checked(row.int(2), "the number of a draft's last command", in: path)
      )
    }
    guard let found else { return nil }
    var commands: [KeptDraft.Command] = []
    let read = try connection.statement(
      "SELECT number, subjects, text, checksum FROM draft_command WHERE draft = ?1 ORDER BY place, number")
    try read.bind(1, name)
    try read.run { row in
      let row = Row(
        draft: name, number: row.int(0), subjects: row.text(1) ?? "", text: row.text(2), checksum: row.int(3))
      commands.append(try row.command(in: path))
    }
    return KeptDraft(version: found.version, lastNumber: found.last, commands: commands)
  }

  /// A row of the table of commands as it is stored.
  struct Row {
    let draft: String
    let number: Int64
    /// The subjects of the command's personal values, as a JSON array.
    let subjects: String
    /// The command, or `nil` if it was erased.
    let text: String?
    let checksum: Int64

    /// Returns the checksum of a row.
    static func checksum(_ draft: String, _ number: Int64, _ subjects: String, _ text: String?) -> Int64 {
      Int64(CRC32.of([draft, "\(number)", subjects, text == nil ? "0" : "1", text ?? ""]))
    }

    var isDamaged: Bool { Self.checksum(draft, number, subjects, text) != checksum }

    func command(in path: String) throws -> KeptDraft.Command {
      let number = try LogNumber.checked(number, "a draft command's number", in: path)
      let subjects = Set((try? JSONDecoder().decode([String].self, from: Data(self.subjects.utf8))) ?? [])
      let content: KeptDraft.Command.Content =
        isDamaged
        ? .damaged("\(path): the command's checksum doesn't match its data") : text.map { .text($0) } ?? .erased
      return KeptDraft.Command(number: number, content: content, subjects: subjects)
    }
  }
}

// Changes, inside a transaction that holds the write lock.
extension DraftTables {
  func add(_ command: KeptDraft.Command, to version: DraftVersion, at time: Date) throws -> Bool {
    for object in Schema.drafts { try connection.execute(object.sqlIfMissing) }
    if version.edition == 0 {
      let begin = try connection.statement("INSERT OR IGNORE INTO draft VALUES (?1, ?2, 0, 0, ?3)")
      try begin.bind(1, version.name)
      try begin.bind(2, version.id)
      try begin.bind(3, time.microseconds)
      try begin.run()
    }
    guard try advance(version, to: command.number, at: time) else { return false }
    let text: String? = if case .text(let text) = command.content { text } else { nil }
    let subjects = "[" + command.subjects.sorted().map { JSONValue.quoted($0) }.joined(separator: ",") + "]"
    let insert = try connection.statement(
      """
      INSERT INTO draft_command VALUES (?1, ?2,
        (SELECT coalesce(max(place), 0) + 1 FROM draft_command WHERE draft = ?1), ?3, ?4, ?5)
      """)
    try insert.bind(1, version.name)
    try insert.bind(2, command.number)
    try insert.bind(3, subjects)
    try insert.bind(4, text)
    try insert.bind(5, Row.checksum(version.name, Int64(command.number), subjects, text))
    try insert.run()
    return true
  }

  func arrange(_ numbers: [Int], of version: DraftVersion, at time: Date) throws -> Bool {
    guard try exist, version.edition > 0, try advance(version, to: nil, at: time) else { return false }
    // First, the remaining commands get places below zero. Then all commands with other places are deleted.
    let move = try connection.statement("UPDATE draft_command SET place = ?3 WHERE draft = ?1 AND number = ?2")
    for (index, number) in numbers.enumerated() {
      try move.bind(1, version.name)
      try move.bind(2, number)
      try move.bind(3, index - numbers.count)
      try move.run()
    }
    for sql in [
      "DELETE FROM draft_command WHERE draft = ?1 AND place >= 0",
      "UPDATE draft_command SET place = place + \(numbers.count) WHERE draft = ?1",
    ] {
      let change = try connection.ownStatement(sql)
      try change.bind(1, version.name)
      try change.run()
    }
    return true
  }

  func delete(_ version: DraftVersion) throws -> Bool {
    guard try exist else { return false }
    let delete = try connection.statement("DELETE FROM draft WHERE name = ?1 AND id = ?2 AND edition = ?3")
    try delete.bind(1, version.name)
    try delete.bind(2, version.id)
    try delete.bind(3, version.edition)
    try delete.run()
    guard connection.changes > 0 else { return false }
    let commands = try connection.statement("DELETE FROM draft_command WHERE draft = ?1")
    try commands.bind(1, version.name)
    try commands.run()
    return true
  }

  /// Increments a draft's edition (version number), or returns false if another program has changed the draft.
  private func advance(_ version: DraftVersion, to number: Int?, at time: Date) throws -> Bool {
    let move = try connection.statement(
      """
      UPDATE draft SET edition = edition + 1, last = max(last, ?4), changed = ?5
      WHERE name = ?1 AND id = ?2 AND edition = ?3 AND last < ?6
      """)
    try move.bind(1, version.name)
    try move.bind(2, version.id)
    try move.bind(3, version.edition)
    try move.bind(4, number ?? 0)
    try move.bind(5, time.microseconds)
    try move.bind(6, Int64(number ?? .max))
    try move.run()
    return connection.changes > 0
  }

  /// Deletes the commands that contain a subject's values, and returns the number of deleted commands.
  ///
  /// A command is erased as a whole, because a command without its personal values would be a different command. The
  /// draft's edition changes too, so that a program that read the commands before can't merge them.
  func erase(_ subject: String) throws -> Int {
    guard try exist else { return 0 }
    var rows: [Row] = []
    try connection.ownStatement("SELECT draft, number, subjects, text, checksum FROM draft_command").run { row in
      rows.append(
        Row(
          draft: row.text(0) ?? "", number: row.int(1), subjects: row.text(2) ?? "", text: row.text(3),
          checksum: row.int(4)))
    }
    var count = 0
    var drafts: Set<ExactString> = []
    let erase = try connection.statement(
      "UPDATE draft_command SET text = NULL, checksum = ?3 WHERE draft = ?1 AND number = ?2")
    for row in rows where row.text != nil {
      let subjects = try? JSONDecoder().decode([String].self, from: Data(row.subjects.utf8))
      // If the subjects of a row cannot be read, the row might be about any subject.
      guard subjects?.contains(where: { ExactString($0) == ExactString(subject) }) ?? true else { continue }
      try erase.bind(1, row.draft)
      try erase.bind(2, row.number)
      try erase.bind(3, Row.checksum(row.draft, row.number, row.subjects, nil))
      try erase.run()
      drafts.insert(ExactString(row.draft))
      count += 1
    }
    let change = try connection.statement("UPDATE draft SET edition = edition + 1 WHERE name = ?1")
    for draft in drafts {
      try change.bind(1, draft.text)
      try change.run()
    }
    return count
  }

  /// Returns a description of every damaged command in the drafts.
  func damage() throws -> [String] {
    guard try exist else { return [] }
    var sentences: [String] = []
    try connection.ownStatement(
      """
      SELECT draft, number, subjects, text, checksum, EXISTS (SELECT 1 FROM draft WHERE name = draft AND last >= number)
      FROM draft_command ORDER BY draft, number
      """
    ).run { row in
      let kept = Row(
        draft: row.text(0) ?? "", number: row.int(1), subjects: row.text(2) ?? "", text: row.text(3),
        checksum: row.int(4))
      let label = "command \(kept.number) of the draft \(JSONValue.quoted(kept.draft))"
      if kept.isDamaged { sentences.append("the checksum of \(label) doesn't match its data") }
      if row.int(5) == 0 {
        sentences.append(
          "command \(kept.number) is stored for the draft \(JSONValue.quoted(kept.draft)), but the draft is missing or "
            + "ends before command \(kept.number)")
      }
    }
    return sentences
  }
}
