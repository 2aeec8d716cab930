import AnnalsLog

/// The tables that store personal fields and record erasures, accessed through a connection.
struct PersonalTables {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True if the tables exist, which is the case unless the log has a format before 3 and is opened for reading only.
  var exist: Bool {
    get throws { try connection.format >= 3 }
  }

  /// The number of erasures.
  var erasures: Int {
    get throws { try exist ? connection.number("SELECT max(number) FROM erasure", "the number of erasures") ?? 0 : 0 }
  }

  /// Returns the first position that a range of erasures changed, or `nil` if any erasure's first position isn't known.
  ///
  /// - Parameters:
  ///   - number: The number of the last erasure before the range.
  ///   - last: The number of the last erasure in the range.
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

  /// Returns the name of the setting that stores the first position that an erasure changed.
  private static func firstName(_ erasure: Int) -> String { "erased_from/\(erasure)" }

  /// Stores the first position that the latest erasure changed.
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

  /// Returns a payload with its personal values in the place of the placeholders.
  ///
  /// - Parameters:
  ///   - payload: The stored payload, with placeholders.
  ///   - position: The event's position.
  ///   - damaged: A closure that creates the error for a damaged field.
  /// - Returns: The original payload, with placeholders for erased values.
  /// - Throws: ``EventStoreError``, with the code `corrupt` if a value is missing although it was not erased.
  func joined(
    _ payload: String, at position: Int64, _ damaged: (String) -> EventStoreError
  ) throws -> String {
    let fields = try fields(at: position, damaged)
    // The payload of an event in an older format is kept unchanged, regardless of its contents.
    if fields.isEmpty, try position <= firstPosition { return payload }
    let subjects: [String]
    do {
      subjects = try PersonalPayload.subjects(of: payload)
    } catch {
      throw damaged("the personal fields in the event's payload can't be read: \(error)")
    }
    var objects: [Int: String] = [:]
    for (place, field) in fields {
      guard place >= 0, place < subjects.count, ExactString(subjects[place]) == ExactString(field.subject) else {
        throw damaged(
          "the stored personal field \(place) matches none of the payload's \(subjects.count) personal fields")
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

  /// Returns true if a subject's values at a position were erased.
  private func isErased(_ subject: String, at position: Int64) throws -> Bool {
    let find = try connection.statement("SELECT 1 FROM erasure WHERE subject = ?1 AND position >= ?2 LIMIT 1")
    try find.bind(1, subject)
    try find.bind(2, position)
    return try find.firstInt() == 1
  }

  /// The last position at which events contain personal values themselves, without separate rows.
  ///
  /// It's the log's end when the log was migrated to format 3.
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
