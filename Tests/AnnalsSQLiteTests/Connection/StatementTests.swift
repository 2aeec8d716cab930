@testable import AnnalsSQLite
import Annals
import Foundation
import Testing

/// Statements of SQLite, and what becomes of values that they do not take.
@Suite struct StatementTests {
  @Test func `a value for a parameter that a statement does not have is refused, whatever it is`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "statement-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let connection = try SQLiteConnection(path: file.path, access: .create)
    defer { connection.close() }
    let statement = try connection.statement("SELECT ?1")
    func refuses(_ bind: (Int32) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(throws: Never.self, sourceLocation: sourceLocation) { try bind(1) }
      #expect(throws: EventStoreError.self, sourceLocation: sourceLocation) { try bind(2) }
    }
    refuses { try statement.bind($0, 7) }
    refuses { try statement.bind($0, "text" as String) }
    refuses { try statement.bind($0, nil as String?) }
    refuses { try statement.bind($0, [1, 2] as [UInt8]) }
    refuses { try statement.bind($0, [] as [UInt8]) }
    let bytes = Array("lent".utf8)
    bytes.withUnsafeBufferPointer { lent in refuses { try statement.bind($0, lent: lent) } }
  }
}
