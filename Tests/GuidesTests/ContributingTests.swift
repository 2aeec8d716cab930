import Foundation
import Testing

/// Compares `Docs/Contributing.md` with the sources and the scripts.
@Suite struct ContributingTests {
  private static func names(in texts: [String]) -> Set<String> {
    Set(texts.flatMap { $0.matches(of: /\bANNALS_[A-Z_]*[A-Z]\b/).map { String($0.0) } })
  }

  /// The text files of a folder, without builds.
  private func texts(in folder: String, where isWanted: (String) -> Bool = { _ in true }) throws -> [String] {
    let url = Guide.root.appending(path: folder)
    return try FileManager.default.subpathsOfDirectory(atPath: url.path)
      .filter { !$0.contains(".build") && isWanted($0) }
      .compactMap { try? String(contentsOf: url.appending(path: $0), encoding: .utf8) }
  }

  @Test func `the table of environment variables has those of the source`() throws {
    // Headers define macros and constants with the same prefix.
    let constants = Self.names(in: try texts(in: "Sources") { $0.hasSuffix(".h") })
    let manifest = try String(contentsOf: Guide.root.appending(path: "Package.swift"), encoding: .utf8)
    let code = try ["Sources", "Tests"].flatMap { try texts(in: $0) { $0.hasSuffix(".swift") } }
    let used = Self.names(in: try code + texts(in: ".ci") + [manifest]).subtracting(constants)
    let rows = try Page("Docs/Contributing.md").text.split(separator: "\n").filter { $0.hasPrefix("| `ANNALS_") }
    let listed = Self.names(in: rows.compactMap { $0.split(separator: "|").first.map(String.init) })
    #expect(listed.count > 30)
    #expect(used.subtracting(listed).sorted() == [], "add these variables to the table")
    #expect(listed.subtracting(used).sorted() == [], "no source has these variables")
  }

  @Test func `the areas of quick checks cover the folders of tests, and are on the page`() throws {
    let script = try String(contentsOf: Guide.root.appending(path: ".ci/quick"), encoding: .utf8)
    let table = try #require(script.firstMatch(of: /areas="\n([^"]*)"/)?.1).replacing("\\\n", with: "")
    let page = try Page("Docs/Contributing.md").text
    var folders: [String] = []
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      #expect(page.contains("`.ci/quick \(words[0])`"), "the page has no row for \(words[0])")
      folders += words.dropFirst()
    }
    #expect(folders.count == Set(folders).count)
    let tests = Guide.root.appending(path: "Tests")
    for folder in folders {
      #expect(FileManager.default.fileExists(atPath: tests.appending(path: folder).path), "\(folder) doesn't exist")
    }
    let parts = try FileManager.default.contentsOfDirectory(atPath: tests.appending(path: "AnnalsTests").path)
      .filter { !$0.hasSuffix(".swift") }.map { "AnnalsTests/\($0)" }
    #expect(Set(parts).subtracting(folders).sorted() == [], "add these folders to an area of .ci/quick")
  }
}
