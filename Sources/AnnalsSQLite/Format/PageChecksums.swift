import Annals

/// Gives the pages of a log of an older format their checksums.
enum PageChecksums {
  /// Rewrites the log as a whole, with a checksum in each page, if no other connection has it open.
  ///
  /// A program that opened the log before would continue to write pages without one. If there is such a program, the
  /// log stays as it is until it is opened the next time. What is written is beside the log until it is whole, so that
  /// the work may stop at any moment.
  ///
  /// - Parameters:
  ///   - file: The log's file, without links on the way.
  ///   - durability: How it is written.
  /// - Throws: ``EventStoreError``, and then the log is as it was.
  static func add(to file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      guard connection.reservePageChecksums() else { return }
      try CheckedFiles.$temporaryFolder.withValue(FileSystem.folder(of: file)) { try connection.execute("VACUUM") }
      try connection.checkpoint()
      guard connection.checksPages else { return }
      try connection.write { try connection.execute(Schema.notePageChecksums) }
    }
  }
}
