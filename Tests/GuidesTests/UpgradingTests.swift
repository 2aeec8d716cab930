import Foundation
import Testing

/// Compares the pages on versions with the source.
@Suite struct UpgradingTests {
  private func source(_ path: String) throws -> String {
    try String(contentsOf: Guide.root.appending(path: "Sources/\(path)"), encoding: .utf8)
  }

  /// The version that the tool prints.
  private var version: String {
    get throws {
      let session = try source("AnnalsReplay/Session/Session.swift")
      return try String(#require(session.firstMatch(of: /annalsVersion = "([0-9.]+)"/)?.1))
    }
  }

  @Test func `the page on upgrading has the current formats`() throws {
    let page = try Page("Docs/Upgrading.md")
    #expect(page.text.contains("| what | format in \(try version) |"))
    for (name, path, pattern) in [
      ("log in SQLite", "AnnalsSQLite/Connection/SQLiteConnection.swift", #/newestFormat: Int64 = ([0-9]+)/#),
      ("log in PostgreSQL", "AnnalsPostgres/Schema/SchemaText.swift", #/static let format = ([0-9]+)/#),
    ] {
      let format = try #require(try source(path).firstMatch(of: pattern)?.1)
      #expect(page.text.contains("| \(name) | \(format) | 1 to \(format) |"), "\(name): expected format \(format)")
    }
  }

  @Test func `the changelog begins with the current version, and has four headings per version`() throws {
    let text = try Page("Docs/Changelog.md").text
    let versions = text.matches(of: /(?m)^## ([0-9.]+) \(\d{4}-\d{2}-\d{2}\)$/).map { String($0.1) }
    #expect(try versions.first == version)
    for part in text.split(separator: "\n## ").dropFirst() {
      let headings = part.matches(of: /(?m)^### (.+)$/).map { String($0.1) }
      #expect(headings == ["Action required", "Added", "Fixed", "Faster"])
    }
  }

  @Test func `pages and examples name the package by one address and the current version`() throws {
    let examples = try FileManager.default
      .contentsOfDirectory(atPath: Guide.root.appending(path: "Docs/Examples").path)
      .map { Guide.root.appending(path: "Docs/Examples/\($0)/Package.swift") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    var count = 0
    for text in try Page.all.map(\.text) + examples {
      // Packages on GitHub are the web framework of an example.
      for match in text.matches(of: /\.package\(url: "([^"]*)", ([^,)]*)/)
      where !match.1.hasPrefix("https://github.com/") {
        count += 1
        #expect(match.1 == "https://git.example.com/annals")
        #expect(try match.2 == "from: \"\(version)\"")
      }
    }
    #expect(count > 5)
  }
}
