import Annals

/// The tables of personal fields and of erasures, through a connection.
struct PersonalTables {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// False in a log of a format before 3 that is only read.
  var exist: Bool {
    get throws { try connection.format >= 3 }
  }

  /// How often something was erased.
  var erasures: Int {
    get throws { try exist ? connection.number("SELECT max(number) FROM erasure", "the number of erasures") ?? 0 : 0 }
  }

  /// The first position that some erasures changed; nil if one of them does not say it.
  ///
  /// - Parameters:
  ///   - number: The erasures after this one.
  ///   - last: The last of them.
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func firstErased(after number: Int, through last: Int) throws -> Int? {
    var first: Int?
    let find = try connection.statement("SELECT value FROM meta WHERE name = ?1")
    for number in number..<last {
      try find.bind(1, Self.firstName(number + 1))
      var found: Int?
      try find.run { found = $0.text(0).flatMap { Int($0) } }
      guard let found else { return nil }
      first = min(first ?? found, found)
    }
    return first
  }

  /// What the first position that an erasure changed is called.
  private static func firstName(_ erasure: Int) -> String { "erased_from/\(erasure)" }

  /// Notes the first position that the last erasure changed.
  func note(firstErased position: Int) throws {
    let note = try connection.statement("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")
    try note.bind(1, Self.firstName(erasures))
    try note.bind(2, "\(position)")
    try note.run()
  }

  /// True if any event has a personal value.
  var hasValues: Bool {
    get throws { try exist && connection.int("SELECT 1 FROM personal WHERE object IS NOT NULL LIMIT 1") == 1 }
  }

  /// A payload with the values of its personal fields, as far as they are there.
  ///
  /// - Parameters:
  ///   - payload: What the event has.
  ///   - position: The event's position.
  ///   - damaged: Makes the error of a field that is not as it must be.
  /// - Returns: The payload as it came, with placeholders of what was erased.
  /// - Throws: ``EventStoreError``, with the code `corrupt` where a value is missing that was not erased.
  func joined(
    _ payload: String, at position: Int64, _ damaged: (String) -> EventStoreError
  ) throws -> String {
    let fields = try fields(at: position, damaged)
    // What an event of an older format says is kept as it came, whatever it looks like.
    if fields.isEmpty, try position <= firstPosition { return payload }
    let subjects: [String]
    do {
      subjects = try PersonalPayload.subjects(of: payload)
    } catch {
      throw damaged("its personal fields can't be found: \(error)")
    }
    var objects: [Int: String] = [:]
    for (place, field) in fields {
      guard place >= 0, place < subjects.count, ExactString(subjects[place]) == ExactString(field.subject) else {
        throw damaged("the personal field \(place) doesn't match any of the payload's \(subjects.count)")
      }
      objects[place] = field.object
    }
    for (place, subject) in subjects.enumerated() where fields[place] == nil {
      guard try isErased(subject, at: position) else {
        throw damaged("the personal field \(place) is missing, although it wasn't erased")
      }
    }
    return try PersonalPayload.joined(payload, objects)
  }

  private func fields(at position: Int64, _ damaged: (String) -> EventStoreError) throws -> [Int: PersonalField] {
    guard try exist else { return [:] }
    let find = try connection.statement("SELECT place, subject, object, checksum FROM personal WHERE position = ?1")
    try find.bind(1, position)
    var fields: [Int: PersonalField] = [:]
    try find.run { row in
      let (place, field) = (Int(row.int(0)), PersonalField(subject: row.text(1) ?? "", object: row.text(2)))
      for column: Int32 in [1, 2] {
        if let problem = UTF8Check.problem(of: row.bytes(column), "personal field \(place)") {
          throw damaged(problem)
        }
      }
      guard Int64(Self.checksum(of: field, at: position, place)) == row.int(3) else {
        throw damaged("the checksum of the personal field \(place) doesn't match its data")
      }
      fields[place] = field
    }
    return fields
  }

  /// True if the values that a subject had up to a position were erased.
  private func isErased(_ subject: String, at position: Int64) throws -> Bool {
    let find = try connection.statement("SELECT 1 FROM erasure WHERE subject = ?1 AND position >= ?2 LIMIT 1")
    try find.bind(1, subject)
    try find.bind(2, position)
    return try find.firstInt() == 1
  }

  /// The last position at which personal fields were not kept apart: the log's end when it became one of format 3.
  var firstPosition: Int64 {
    get throws {
      guard try exist else { return .max }
      return try connection.int("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'personal'") ?? 0
    }
  }

  static func checksum(of field: PersonalField, at position: Int64, _ place: Int) -> UInt32 {
    CRC32.of([String(position), String(place), field.subject, field.object ?? "\0"])
  }
}
