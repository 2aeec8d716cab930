import Annals
import AnnalsLists
import AnnalsLog
import Foundation
import Testing

/// Errors as an alert shows them, by `localizedDescription`.
@Suite struct ErrorSentenceTests {
  private static let modules = ["Annals", "AnnalsLists", "AnnalsLog", "AnnalsPostgres", "AnnalsRemote", "AnnalsSQLite"]

  /// A declaration of an error that a user of a module can see, or that a public function throws as `any Error`.
  private struct Declaration {
    let name: String
    let isLocalized: Bool
  }

  /// The public and package types of a source that are errors, by their declarations and extensions.
  private static func errors(in source: String) throws -> [Declaration] {
    let code = source.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    let type =
      #/
      (?: (?:public|package) \s+ (?:final\s+|indirect\s+)* (?:struct|enum|class|actor) | extension ) \s+
      ([\w.]+) (?:<[^{]*?>)? \s* : \s* ([^{]*) \{
      /#
    return code.matches(of: type).compactMap { match in
      let conformances = match.2.split { !$0.isLetter && !$0.isNumber && $0 != "." }.map(String.init)
      guard conformances.contains(where: { $0 == "Error" || $0.hasSuffix("Error") }) else { return nil }
      var depth = 1
      let body = code[match.range.upperBound...].prefix { character in
        if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
        return depth > 0
      }
      return Declaration(
        name: String(match.1),
        isLocalized: conformances.contains("LocalizedError")
          && body.contains("var errorDescription: String? { description }"))
    }
  }

  @Test func `each error type that a caller can see has its sentence as localizedDescription`() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    var names: Set<String> = []
    for module in Self.modules {
      let folder = root.appending(path: "Sources/\(module)")
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
        let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        for error in try Self.errors(in: source) {
          names.insert(error.name)
          #expect(error.isLocalized, "\(module)/\(path): \(error.name) is not a LocalizedError with its description")
        }
      }
    }
    let known: Set = [
      "BehindError", "CompactionError", "DraftError", "EventCodingError", "EventStoreError", "FilterError",
      "ListRequestError", "MergeError", "ProjectionError", "SeekError", "UndoError",
    ]
    #expect(names.isSuperset(of: known), "not found: \(known.subtracting(names))")
  }

  @Test(arguments: [
    "public struct A: Error {}", "package enum B: Error, Hashable { case a }", "public final class C:\n  Error {}",
    "extension D: Error {}", "public struct E: LocalizedError { var errorDescription: String? { nil } }",
    "  public struct F<T>: Sendable, Error {}",
  ])
  func `a type without its sentence is found in any form`(source: String) throws {
    let errors = try Self.errors(in: source)
    #expect(errors.count == 1 && errors.first?.isLocalized == false, "\(errors)")
  }

  @Test(arguments: [
    "struct A: Error {}", "/// public struct A: Error {}", "public struct A: Hashable { let e: Error }",
  ])
  func `other types are not counted`(source: String) throws {
    #expect(try Self.errors(in: source).isEmpty)
  }

  @Test func `localizedDescription is the description`() throws {
    let store = MemoryEventStore()
    try store.append(Append([NewEvent(type: "ItemPut", payload: "{}")], to: "a"))
    var errors: [any Error] = []
    func collect(_ body: () throws -> Void) {
      do { try body() } catch { errors.append(error) }
    }
    collect { try store.append(Append([NewEvent(type: "A", payload: "{}")], to: "a", expecting: .exact(7))) }
    collect { _ = try store.events(of: ItemEvent.self) }
    collect { _ = try store.list(of: Items()) }
    collect { _ = try store.list(of: Items(), at: 9) }
    collect { _ = try store.list(of: Items(), ListRequest(filter: .where { _ in true }), cacheName: "c") }
    collect { _ = try Metadata(json: "[") }
    #expect(errors.count == 6)
    #expect(Set(errors.map { "\(type(of: $0))" }).count >= 5, "\(errors)")
    for error in errors {
      #expect(error.localizedDescription == "\(error)")
      #expect((error as NSError).localizedDescription == "\(error)")
    }
  }
}
