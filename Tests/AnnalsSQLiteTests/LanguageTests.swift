#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// Saved lists in a language's order on systems without sort keys, read by processes with the same or other rules.
  @Suite struct LanguageTests {
    /// A line of the child, as `LanguageWork` prints it.
    private struct Printed: Decodable {
      let list: String
      let restored: Int?
      let problem: String?
      let sections: [[String]]
      let titles: [String]
      let found: [[String]]
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// So many that the sections and rows of a list fill several pages.
    private static func names(_ process: Int) -> [String] {
      (0..<200).map { number in
        let stem = ["Äpfel", "apfel", "Birne", "e\u{301}mile", "Zebra", "öl", "Ol", "Straße", "#", "😀"][number % 10]
        return "\(stem) \((number * 7 + process * 13) % 300)"
      }
    }

    private func run(_ rules: String, _ names: [String]) throws -> [Printed] {
      let file = folder.path("log")
      let child = try ChildProcess(["language", file, rules] + names)
      let (lines, talk, status) = child.finish()
      #expect(talk == "" && status == 0)
      return try lines.filter { !$0.isEmpty }.map { try JSONDecoder().decode(Printed.self, from: Data($0.utf8)) }
    }

    /// Checks lists of some names, which a process with some rules printed.
    private func check(_ lists: [Printed], of names: [String], _ rules: String, restored: Int?) {
      let german = Collation(locale: Locale(identifier: "de"), isNumeric: true)
      func isOrdered(_ texts: [String], isDescending: Bool = false) -> Bool {
        let wrong: ComparisonResult = (rules == "reversed") != isDescending ? .orderedAscending : .orderedDescending
        return zip(texts, texts.dropFirst()).allSatisfy { german.compare($0, $1) != wrong }
      }
      #expect(lists.map(\.list) == ["sorted", "descending", "by key", "by title", "by rows", "by initial"])
      for list in lists {
        #expect(list.restored == restored && list.problem == nil, "\(list.list)")
        #expect(list.sections.joined().sorted() == names.sorted(), "\(list.list)")
        if list.list != "descending" { #expect(list.sections.allSatisfy { isOrdered($0) }, "\(list.list)") }
        switch list.list {
        case "sorted", "by key": #expect(isOrdered(Array(list.sections.joined())), "\(list.list)")
        case "by title": #expect(isOrdered(list.titles, isDescending: true))
        case "by rows": #expect(isOrdered(list.sections.compactMap(\.first)))
        case "by initial": #expect(isOrdered(list.titles))
        default: break
        }
        // The reversed rules reverse the meaning of the characters that mark the end of a search, too.
        if rules != "reversed" {
          let found = list.sections.map { $0.filter { $0.hasPrefix("Äpfel") || $0.hasPrefix("apfel") } }
          if list.list != "descending" { #expect(list.found == found, "\(list.list)") }
        }
      }
    }

    @Test func `A saved list is restored under the same rules, and only then`() throws {
      let names = (0..<4).map { Self.names($0) }
      check(try run("first", names[0]), of: names[0], "first", restored: nil)
      // The position at the end of the first process's events. These processes have other places for the same names.
      check(try run("first", names[1]), of: names[0] + names[1], "first", restored: 200)
      check(try run("reversed", names[2]), of: names[0] + names[1] + names[2], "reversed", restored: nil)
      check(try run("reversed", []), of: names[0] + names[1] + names[2], "reversed", restored: 600)
      check(try run("first", names[3]), of: names.flatMap { $0 }, "first", restored: 400)
    }
  }
#endif
