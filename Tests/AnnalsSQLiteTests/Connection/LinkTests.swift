import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing

/// Logs that are opened through a link.
@Suite struct LinkTests {
  private let folder: TemporaryFolder
  private var log: String { folder.path("data/log") }
  private var link: String { folder.path("links/link") }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["data", "links"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
  }

  private func makeLink(to target: String) throws {
    try? FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
  }

  private func append(_ text: String, to store: SQLiteEventStore) throws {
    try store.append(Append([NewEvent(type: "T", payload: #"{"$personal":"ann","value":"\#(text)"}"#)], to: "s"))
  }

  /// The files of both folders that contain some bytes.
  private func files(with text: String) throws -> [String] {
    try ["data", "links"].flatMap { name in
      try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).filter { file in
        let path = folder.path("\(name)/\(file)")
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return false }
        return data.range(of: Data(text.utf8)) != nil
      }.map { "\(name)/\($0)" }
    }
  }

  @Test(arguments: ["absolute", "relative", "chain"])
  func `an erasure through a link leaves no bytes in any file, whatever readers there are`(_ kind: String) throws {
    do { _ = try SQLiteEventStore(path: log) }
    switch kind {
    case "absolute": try makeLink(to: log)
    case "relative": try makeLink(to: "../data/log")
    default:
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("links/other"), withDestinationPath: "../data/log")
      try makeLink(to: "other")
    }
    for round in 0..<20 {
      let store = try SQLiteEventStore(path: round % 2 == 0 ? link : log)
      let other = try SQLiteEventStore(readingFrom: round % 3 == 0 ? log : link)
      for number in 0..<10 { try append("secret \(round) \(number)", to: store) }
      #expect(try !files(with: "secret \(round)").isEmpty)
      #expect(try other.head() == store.head())
      let receipt = try store.erase(subject: "ann")
      #expect(receipt.fields == 10 && receipt.remnants == nil)
      #expect(try files(with: "secret") == [])
      store.close()
      #expect(try files(with: "secret") == [])
      _ = other
    }
    #expect(try SQLiteEventStore(readingFrom: link).verify().isSound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("links")).allSatisfy { !$0.contains("-") })
  }

  @Test func `a log is made where a link leads that leads to nothing yet`() throws {
    try makeLink(to: "../data/log")
    do { try append("first", to: try SQLiteEventStore(path: link)) }
    #expect(FileManager.default.fileExists(atPath: log))
    #expect(try SQLiteEventStore(readingFrom: log).head() == 1)
  }

  private func list(_ store: SQLiteEventStore) throws -> FetchedResultsController<Tool> {
    let list = FetchedResultsController(
      store: store, projection: Tools(),
      request: ListRequest(sort: [.ascending(\.id)], section: .by(\.shelf)), cacheName: "Tools")
    try list.performFetch()
    return list
  }

  @Test func `a copy, a compaction and saved lists through a link are those of the log`() throws {
    try makeLink(to: log)
    let coder = try EventCoder<ToolEvent>()
    let store = try SQLiteEventStore(path: link)
    for number in 0..<60 {
      let tool = Tool(id: number / 2, name: Personal("bytes that go \(number)", of: "x"), shelf: "s")
      try store.append(Append([try coder.encode(.bought(tool))], to: "Tools-\(number / 2)"))
    }
    let shown = try list(store)
    try shown.saveCache()
    #expect(try store.backUp(to: folder.path("links/copy")) == 60)
    #expect(try SQLiteEventStore(readingFrom: folder.path("links/copy")).verify().isSound)
    try FileManager.default.removeItem(atPath: folder.path("links/copy"))
    // The last event of each stream contains everything.
    var compaction = Compaction(through: 40)
    compaction.rewrite(ToolEvent.self) { _, events in Array(events.suffix(1)) }
    compaction.prove(Tools())
    let receipt = try store.compact(compaction)
    #expect(receipt.cut == 20 && receipt.remnants == nil && receipt.bytesAfter ?? 0 > 0)
    for number in 0..<60 {
      let isCut = number < 40 && number % 2 == 0
      #expect(try files(with: "bytes that go \(number)\"").isEmpty == isCut, "\(number)")
    }
    try shown.saveCache()
    #expect(try store.statistics().commitBytes > 0)
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("data")) == ["log"])
    let again = try SQLiteEventStore(path: log)
    let restored = try list(again)
    #expect(restored.cacheReport.restored == 60 && restored.results == shown.results)
    #expect(try again.verify().isSound)
  }

  @Test func `a link that leads round in a circle is an error`() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("links/other"), withDestinationPath: "link")
    try makeLink(to: "other")
    for open in [{ try SQLiteEventStore(path: link) }, { try SQLiteEventStore(readingFrom: link) }] {
      #expect(throws: EventStoreError.self) { _ = try open() }
    }
  }

  @Test func `a log that has a second name is refused, since commits lie beside one of them only`() throws {
    let store = try SQLiteEventStore(path: log)
    try append("a", to: store)
    let second = folder.path("links/second")
    try FileManager.default.linkItem(atPath: log, toPath: second)
    for open in [{ try SQLiteEventStore(path: second) }, { try SQLiteEventStore(readingFrom: second) }] {
      let error = #expect(throws: EventStoreError.self) { _ = try open() }
      #expect(error?.code == .io && error?.message.contains("hard links") == true)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("links")) == ["second"])
    try FileManager.default.removeItem(atPath: second)
    store.close()
    #expect(try SQLiteEventStore(path: log).head() == 1)
  }

  #if os(macOS) || os(Linux)
    @Test func `a reader who may write nowhere sees what a writer appends, through a link too`() throws {
      do {
        let store = try SQLiteEventStore(path: log)
        for number in 0..<50 { try append("\(number)", to: store) }
      }
      try makeLink(to: log)
      let manager = FileManager.default
      for name in ["", "data", "links"] {
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
      }
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: log)
      for path in [log, link] {
        let start = try SQLiteEventStore(readingFrom: log).head().rawValue
        // First with a log that no process has open.
        let child = try ChildProcess("stranger", path, "1", "\(start + 2)")
        #expect(String(decoding: child.firstWords(), as: UTF8.self) == "\(start)\n")
        let store = try SQLiteEventStore(path: log)
        for number in 0..<2 { try append("\(number)", to: store) }
        let (lines, talk, status) = child.finish()
        #expect(lines.first == "\(start + 2) true" && talk == "" && status == 0, "\(lines) \(talk)")
        // Then with a log that another process has open.
        let second = try ChildProcess("stranger", path, "1", "\(start + 3)")
        #expect(String(decoding: second.firstWords(), as: UTF8.self) == "\(start + 2)\n")
        try append("last", to: store)
        let after = second.finish()
        #expect(after.lines.first == "\(start + 3) true" && after.talk == "", "\(after)")
      }
    }
  #endif
}
