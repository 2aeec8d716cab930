import Foundation
import Testing

/// Each layer of a target uses only those before it, as the compiler saw it.
///
/// `ANNALS_WRITE_LAYERS=1 swift test --filter LayerTests` writes the design record's tables again. With
/// `ANNALS_NEEDS_INDEX=1` a missing index is a failure; otherwise the tests are skipped.
/// The tests run one after the other, because two of them write the same file.
@Suite(.serialized) struct LayerTests {
  private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
  }
  private static let environment = ProcessInfo.processInfo.environment
  /// The index folder of this build: beside the program or bundle, or beside one of the folders that it is in.
  private static let store: String? = {
    guard let file = imagePath(of: #dsohandle) else { return nil }
    var folder = URL(fileURLWithPath: file).resolvingSymlinksInPath()
    while folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
      let store = folder.appending(path: "index/store")
      if FileManager.default.fileExists(atPath: store.appending(path: "v5/units").path) { return store.path }
    }
    return nil
  }()
  /// Why there is nothing to read; nil if there is an index, or must be one.
  private static let isMissing: String? =
    if environment["ANNALS_NEEDS_INDEX"] != nil {
      nil
    } else if store == nil {
      "the build has no index: only debug builds write one, and none with -index-store off"
    } else if IndexLibrary.path == nil {
      "there is no libIndexStore beside the toolchain's libraries"
    } else {
      nil
    }

  /// The index, which is read once.
  private static let index = Result { try read() }

  private static func read(changed: (String, Date) -> Date = { $1 }) throws -> CompilerIndex {
    guard let store else { throw IndexProblem("the build has no index") }
    guard let library = IndexLibrary.path else { throw IndexProblem("there is no libIndexStore") }
    var sources: [String: Date] = [:]
    for path in try paths() {
      let attributes = try FileManager.default.attributesOfItem(atPath: root.appending(path: path).path)
      sources[path] = changed(path, attributes[.modificationDate] as? Date ?? .distantFuture)
    }
    return try CompilerIndex(store: store, library: library, root: root.path, sources: sources)
  }

  /// The paths of all sources, from the package's folder.
  private static func paths() throws -> [String] {
    let sources = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    return (sources?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.map { "Sources/" + $0 }
      .sorted()
  }

  @Test(arguments: LayerPlan.all.indices)
  func `every file stands in a layer, and every layer has files`(plan: Int) throws {
    let plan = LayerPlan.all[plan]
    let layers = Set(try Self.paths().compactMap { plan.layer(of: $0) })
    #expect(layers == Set(plan.layers.map(\.name)))
  }

  @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")), arguments: LayerPlan.all.indices)
  func `each layer uses only layers before it`(plan: Int) throws {
    let plan = LayerPlan.all[plan]
    let graph = LayerGraph(plan, try Self.index.get().uses())
    for use in graph.upward where !plan.exceptions.contains(use.files) {
      Issue.record("\(plan.target): what comes before uses what comes after: \(use.description)")
    }
    for exception in plan.exceptions.subtracting(graph.upward.map(\.files)).sorted() {
      Issue.record("\(plan.target): this is no longer so, and must not be excepted: \(exception)")
    }
  }

  @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")))
  func `the design record has the graph of the layers as it is`() throws {
    let uses = try Self.index.get().uses()
    let sections = LayerPlan.all.map { plan in
      (["### \(plan.target)", ""] + LayerGraph(plan, uses).table).joined(separator: "\n")
    }
    try compare(sections.joined(separator: "\n\n"), with: "layers")
  }

  @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")))
  func `the design record has what AnnalsSQLite uses of AnnalsLog that is not public`() throws {
    let index = try Self.index.get()
    var lines: [String: [Substring]] = [:]
    var found: [String: Set<String>] = [:]
    for (user, file, declaration) in index.uses()
    where index.files[user]?.module == "AnnalsSQLite"
      && index.files[file]?.module == "AnnalsLog"
    {
      if lines[file] == nil {
        let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        lines[file] = text.split(separator: "\n", omittingEmptySubsequences: false)
      }
      // The index does not tell who may see a declaration; the words before its name do.
      let words = lines[file]?[declaration.line - 1].utf8.prefix(declaration.column - 1)
      guard words.flatMap({ String($0) })?.split(separator: " ").contains("package") ?? false else { continue }
      found[file, default: []].insert(declaration.name)
    }
    let list = found.sorted { $0.key < $1.key }.map { file, names in
      let names = names.filter { !$0.hasPrefix("getter:") && !$0.hasPrefix("setter:") }.sorted()
      return "- \(file.dropFirst("Sources/".count)): \(names.map { "`\($0)`" }.joined(separator: ", "))"
    }
    try compare((list.isEmpty ? ["Nothing."] : list).joined(separator: "\n"), with: "package symbols")
  }

  /// Compares a part of the design record with what it should be, and writes it if that is asked for.
  private func compare(_ part: String, with name: String) throws {
    let file = Self.root.appending(path: "Docs/Design/0015-layers.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let (begin, end) = ("<!-- \(name): written by LayerTests -->\n", "\n<!-- end of \(name) -->")
    let start = try #require(text.range(of: begin)).upperBound
    let range = try start..<#require(text.range(of: end, range: start..<text.endIndex)).lowerBound
    if text[range] == part { return }
    if Self.environment["ANNALS_WRITE_LAYERS"] != nil {
      try text.replacingCharacters(in: range, with: part).write(to: file, atomically: true, encoding: .utf8)
    } else {
      Issue.record(
        """
        Docs/Design/0015-layers.md has other \(name) than the index. Look at what became of them, and write them again:
        ANNALS_WRITE_LAYERS=1 swift test --filter LayerTests
        """)
    }
  }

  @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")))
  func `an index that is older than a file, or lacks it, says so`() throws {
    let one = "Sources/AnnalsLists/Rows/RowSet.swift"
    let older = #expect(throws: IndexProblem.self) {
      try Self.read { path, date in path == one ? .distantFuture : date }
    }
    #expect(older?.description == "\(one) was changed after the index was written: build the tests again")
    let store = try #require(Self.store)
    let library = try #require(IndexLibrary.path)
    let lacking = #expect(throws: IndexProblem.self) {
      try CompilerIndex(
        store: store, library: library, root: Self.root.path,
        sources: ["Sources/AnnalsLists/Rows/New.swift": .distantPast])
    }
    #expect(lacking?.description.hasPrefix("Sources/AnnalsLists/Rows/New.swift is not in the index") == true)
  }

  @Test func `a use of a later layer is upward, of an earlier one is not, and inside of a layer is none`() {
    let plan = LayerPlan("House", ["Cellar": "", "Attic": "", "House": ""])
    let graph = LayerGraph(
      plan,
      [
        ("Sources/House/Cellar/A.swift", "Sources/House/Attic/Deep/B.swift", .init(name: "roof", line: 1, column: 1)),
        (
          "Sources/House/Cellar/A.swift", "Sources/House/Attic/Deep/B.swift",
          .init(name: "getter:tile", line: 1, column: 1)
        ),
        ("Sources/House/Attic/Deep/B.swift", "Sources/House/Attic/C.swift", .init(name: "beam", line: 1, column: 1)),
        ("Sources/House/Front.swift", "Sources/House/Cellar/A.swift", .init(name: "wine", line: 1, column: 1)),
        ("Sources/Other/Cellar/A.swift", "Sources/House/Attic/C.swift", .init(name: "beam", line: 1, column: 1)),
      ])
    #expect(graph.upward.map(\.description) == ["Cellar/A.swift → Attic/Deep/B.swift: roof, tile"])
    #expect(graph.uses.count == 2)
    #expect(
      graph.table.dropFirst(2) == ["| Cellar |  | Attic |", "| Attic |  | – |", "| House |  | Cellar |"])
  }
}
