extension SQLiteEventStore {
  /// Returns the number of a subject's personal values that an erasure would delete.
  package func valueCount(of subject: String) throws -> Int {
    try inOneState { connection in
      guard try PersonalTables(connection).exist else { return 0 }
      let count = try connection.statement("SELECT count(object) FROM personal WHERE subject = ?1")
      try count.bind(1, subject)
      return Int(try count.firstInt() ?? 0)
    }
  }
}
