import Foundation
import Testing

/// Compares `Docs/Errors.md` with the sources and with real errors.
@Suite struct ErrorPageTests {
  /// The messages that no case produces, by the beginning of the message, and the reason.
  ///
  /// The test compares the literal parts of these messages with the sources.
  private static let unproduced: [(error: String, start: String, reason: String)] = [
    ("EventStoreError.busy", "all …", "needs a server"),
    ("EventStoreError.busy", "all connections", "needs a server"),
    ("EventStoreError.busy", "the connections", "needs a server"),
    ("EventStoreError.busy", "… calls", "needs a server"),
    ("EventStoreError.busy", "schema", "needs a server"),
    ("EventStoreError.io", "…: the disk is full", "needs a full disk, see FaultTests"),
    ("EventStoreError.io", "…: cannot be opened", "the reason depends on the system, see SystemFailureTests"),
    ("EventStoreError.olderFormat", "expected a log", "needs a server"),
    ("EventStoreError.refused", "no connection", "needs a server"),
    ("EventStoreError.unreachable", "the PostgreSQL server", "needs a server"),
    ("Branch.DraftError.damaged", "command …", "needs a changed byte in a row, see DraftFileTests"),
    ("PersonalPayload.Problem", "the member", "only for stores and tools, see PersonalTests"),
  ]

  /// The products' folders in `Sources`.
  private static let modules = [
    "Annals", "AnnalsLists", "AnnalsLog", "AnnalsMirror", "AnnalsPostgres", "AnnalsRemote", "AnnalsSQLite",
    "AnnalsStoreTesting", "AnnalsTesting",
  ]

  private static func sources() throws -> [String] {
    try modules.flatMap { module in
      let folder = Guide.root.appending(path: "Sources/\(module)")
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }
  }

  /// The public error types of a source without codes, and the codes of the other types, such as `UndoError.refused`.
  private static func errors(in source: String) -> Set<String> {
    var (outer, error): (String, String?) = ("", nil)
    var found: Set<String> = []
    guard source.contains("Error") else { return [] }
    for line in source.split(separator: "\n") where line.contains("public") || line.contains("extension") {
      if let match = line.firstMatch(of: /^(?: *extension|(?:public )?(?:final )?(?:struct|enum|class)) ([\w.]+)/) {
        outer = String(match.1)
        if outer == "EventStoreError" || outer == "EventStoreError.Code" { error = "EventStoreError" }
      }
      if let match = line.firstMatch(of: /^( *)public (?:struct|enum) (\w+): .*Error\b/) {
        let name = match.1.isEmpty ? String(match.2) : "\(outer).\(match.2)"
        found.insert(name)
        error = name
      }
      if let error, let match = line.firstMatch(of: /static let (\w+) = (?:EventStoreError\.)?(?:Code|Kind)\(rawValue/)
      {
        found.insert("\(error).\(match.1)")
      }
    }
    return found
  }

  /// The page's messages, by the error's type and code.
  private static func entries() throws -> [String: [String]] {
    var entries: [String: [String]] = [:]
    var (section, name, isContinued) = ("", "", false)
    for line in try Page("Docs/Errors.md").text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") {
        section = String(line.dropFirst(3))
        name = section
      } else if line.hasPrefix("### ") {
        name =
          section.contains("Error") && !section.contains(" ")
          ? "\(section).\(line.dropFirst(4))" : "\(line.dropFirst(4))"
        entries[name] = []
      } else if section == "Errors in tests", let match = line.firstMatch(of: /^\| `([\w.]+)`/) {
        entries[String(match.1)] = []
      } else if line.hasPrefix("    ") {
        let words = String(line.dropFirst(4))
        if isContinued, let last = entries[name]?.popLast() {
          entries[name]?.append("\(last) \(words)")
        } else {
          entries[name, default: []].append(words)
        }
      }
      isContinued = line.hasPrefix("    ")
    }
    return entries
  }

  /// Whether a message of the page, in which `…` is any text, is equal to a real message.
  private static func matches(_ shown: String, _ real: String) -> Bool {
    let pattern = shown.split(separator: "…", omittingEmptySubsequences: false)
      .map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: ".*")
    // The names of nested types contain the module of these tests.
    return real.replacing("GuidesTests.", with: "").range(of: "^\(pattern)$", options: .regularExpression) != nil
  }

  private static func isUnproduced(_ message: String, of error: String) -> Bool {
    #if !DEBUG
      // Only debug builds compare two decisions.
      if error == "EventStoreError.unequalDecision" { return true }
    #endif
    return unproduced.contains { $0.error == error && message.hasPrefix($0.start) }
  }

  @Test func `the page contains every code of every public error type, and no other code`() throws {
    let found = Set(try Self.sources().flatMap(Self.errors))
    let known = found.filter { name in !found.contains { $0.hasPrefix("\(name).") } }
    let shown = Set(try Self.entries().keys).subtracting(["Traps"])
    #expect(known.count > 75)
    #expect(known.subtracting(shown).isEmpty, "missing on Docs/Errors.md")
    #expect(shown.subtracting(known).isEmpty, "unknown to the sources")
  }

  @Test func `codes are in alphabetical order`() throws {
    let sections = try Page("Docs/Errors.md").text.split(separator: "\n## ").dropFirst()
    for section in sections {
      let codes = section.matches(of: /(?m)^### (.*)$/).map { String($0.1) }
      #expect(codes == codes.sorted())
    }
  }

  @MainActor @Test(arguments: ErrorCase.all)
  func `an error has a message of the page, and the page's advice works`(error: ErrorCase) async throws {
    let messages = try await error.messages()
    #expect(messages.keys.allSatisfy { $0 == error.name }, "\(messages.keys)")
    let real = messages[error.name] ?? []
    let shown = try #require(try Self.entries()[error.name])
    for message in real {
      #expect(
        shown.contains { Self.matches($0, message) }, "Docs/Errors.md has another message for \(error): \(message)")
    }
    for message in shown where !Self.isUnproduced(message, of: error.name) {
      #expect(real.contains { Self.matches(message, $0) }, "no mistake of \(error) has the message: \(message)")
    }
  }

  @Test func `messages without a case are literals of the sources`() throws {
    let sources = try Self.sources().joined(separator: "\n")
      .replacingOccurrences(of: #""\s*\n\s*\+ ""#, with: "", options: .regularExpression)
      .replacingOccurrences(of: #"\""#, with: "\"")
    let cases = Set(ErrorCase.all.map(\.name))
    #expect(cases.count == ErrorCase.all.count)
    var count = 0
    for (name, messages) in try Self.entries() {
      for message in messages where name == "Traps" || !cases.contains(name) || Self.isUnproduced(message, of: name) {
        #expect(name == "Traps" || Self.isUnproduced(message, of: name), "\(name) needs a case, or a reason")
        count += 1
        for part in message.trimmingPrefix("Fatal error: ").replacing("(was 0)", with: "(was …)").split(separator: "…")
        {
          #expect(sources.range(of: String(part)) != nil, "\(name): no source contains \"\(part)\"")
        }
      }
    }
    #expect(count >= Self.unproduced.count + 8)
  }

  @Test func `a changed message and a changed code are found`() {
    #expect(Self.matches("the … is full", "the disk is full") && !Self.matches("the … is full", "the disk is empty"))
    #expect(!Self.matches("a.c", "abc"))
    let source = """
      extension Branch {
        public struct LostError: LocalizedError, Hashable {
          public struct Code: RawRepresentable {
            public static let gone = Code(rawValue: "gone")
      """
    #expect(Self.errors(in: source) == ["Branch.LostError", "Branch.LostError.gone"])
  }
}
