import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// What is taken out of logs that are damaged in every place.
@Suite struct SalvageTests {
  private let folder: TemporaryFolder
  private var log: String { folder.path("log") }

  init() throws { folder = try TemporaryFolder() }

  /// A log of transactions of one to four events, with all that an event may have.
  @discardableResult
  private func fill(_ count: Int = 150) throws -> [StoredEvent] {
    let store = try SQLiteEventStore(path: log)
    for number in 0..<count {
      let events = (0...number % 4).map { part -> NewEvent in
        var metadata: Metadata = [:]
        metadata.author = "actor \(number % 7)"
        let text = String(repeating: "é\(number)", count: number % 50 == 0 ? 3_000 : number % 13)
        return NewEvent(
          type: "Type\(number % 5)", schema: number % 3 + 1,
          payload: number % 11 == 0
            ? nil
            : #"{ "n":\#(number),"t":"\#(text)","p":{"$personal":"s\#(number % 9)","value":"v\#(number).\#(part)"}}"#,
          tags: number % 4 == 0 ? ["tag \(number)", "all"] : [], metadata: metadata,
          time: Date(timeIntervalSince1970: Double(number) + 0.25))
      }
      var append = Append(events, to: StreamName("stream \(number % 17)"))
      if number % 6 == 0 { append.commandID = "command \(number)" }
      try store.append(append)
    }
    #expect(try store.checkpoints?.setCheckpoint(named: "mail", to: Position(count), from: nil) == true)
    let all = try store.events(.all, after: 0, through: nil, limit: 100_000)
    // On a busy machine, a commit can still be copied from the `-wal` file when the store is deallocated, and the file
    // alone would contain a part of a transaction.
    try store.closeWhole()
    return all
  }

  /// Events without what a salvage numbers again.
  private func plain(_ event: StoredEvent) -> [String] {
    [
      event.id.description, event.type, "\(event.schema)", "\(event.time.timeIntervalSince1970)",
      "\(event.tags.sorted())", event.payload ?? "-", event.metadata.json, event.stream.text,
    ]
  }

  /// Salvages the log, and compares what is found with what was there.
  @discardableResult
  private func salvage(
    _ path: String, _ events: [StoredEvent], _ what: String, showsLoss: Bool = true
  ) throws -> SalvageReport? {
    let target = folder.path("rescued-\(UUID().uuidString)")
    let report: SalvageReport
    do {
      report = try SQLiteEventStore.salvage(path, to: target)
    } catch let error as EventStoreError {
      #expect(!FileManager.default.fileExists(atPath: target), "\(what): \(error)")
      return nil
    }
    let store = try SQLiteEventStore(readingFrom: target)
    let rescued = try store.events(.all, after: 0, through: nil, limit: 100_000)
    #expect(try store.verify().isSound, "\(what)")
    #expect(rescued.count == report.events, "\(what)")
    var byID: [EventID: StoredEvent] = [:]
    for event in events { byID[event.id] = event }
    let sizes = Dictionary(grouping: events, by: \.transaction).mapValues(\.count)
    var last = 0
    let lostValues = report.losses.contains { $0.reason.contains("the value of a personal field") }
    for (transaction, parts) in Dictionary(grouping: rescued, by: \.transaction).sorted(by: { $0.key < $1.key }) {
      let originals = parts.compactMap { byID[$0.id] }
      #expect(originals.count == parts.count && Set(originals.map(\.transaction)).count == 1, "\(what) \(transaction)")
      #expect(originals.count == sizes[originals[0].transaction], "\(what): a part of a transaction")
      #expect(originals[0].position.rawValue > last, "\(what)")
      last = originals[originals.count - 1].position.rawValue
      for (new, old) in zip(parts, originals) where !lostValues { #expect(plain(new) == plain(old), "\(what)") }
    }
    let isWhole = rescued.count == events.count && !lostValues
    #expect(isWhole || !report.isComplete || !showsLoss, "\(what): a loss that is not said")
    try FileManager.default.removeItem(atPath: target)
    return report
  }

  @Test func `a sound log is salvaged whole, with receipts and checkpoints`() throws {
    let events = try fill()
    let target = folder.path("new")
    let report = try SQLiteEventStore.salvage(log, to: target)
    #expect(report.isComplete && !report.isRenumbered && report.lostEvents == 0, "\(report.losses)")
    #expect(report.events == events.count && report.transactions == 150 && report.commands == 25)
    let (old, new) = (try SQLiteEventStore(readingFrom: log), try SQLiteEventStore(readingFrom: target))
    #expect(try new.events(.all, after: 0, through: nil, limit: 100_000) == events)
    #expect(try new.commandReceipts(limit: 100) == old.commandReceipts(limit: 100))
    #expect(try new.receipt(ofCommand: "command 6") == old.receipt(ofCommand: "command 6"))
    #expect(try new.followers() == old.followers())
    #expect(try new.subjects() == old.subjects())
    #expect(throws: EventStoreError.self) { try SQLiteEventStore.salvage(log, to: target) }
  }

  @Test func `a page that is damaged loses what was on it, and never a part of a transaction`() throws {
    let events = try fill()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let pages = bytes.count / 4_096
    var (most, whole) = (0, 0)
    for page in 0..<pages {
      // A salvage takes 0.1 s in a debug build, so each page is damaged in only one of two ways.
      for (index, name) in ["zeros", "flipped"].enumerated() where index == page % 2 {
        var damaged = bytes
        let place = page * 4_096
        if index == 0 {
          damaged.replaceSubrange(place..<place + 4_096, with: Data(count: 4_096))
        } else {
          for offset in stride(from: place + 3, to: place + 4_096, by: 61) { damaged[offset] ^= 0x55 }
        }
        let path = folder.path("damaged")
        try damaged.write(to: URL(fileURLWithPath: path))
        let report = try #require(try salvage(path, events, "page \(page) \(name)"), "page \(page) \(name)")
        most = max(most, events.count - report.events)
        if report.events == events.count { whole += 1 }
      }
    }
    // An index has no event: most pages cost little, and none costs the log.
    #expect(most < events.count / 4 && whole > pages / 8, "\(most) of \(events.count), \(whole) of \(pages)")
  }

  @Test func `a file that was cut short, or lost its header, gives what is left`() throws {
    let events = try fill()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let path = folder.path("damaged")
    for part in [0.1, 0.3, 0.5, 0.77, 0.99] {
      let count = Int(Double(bytes.count) * part)
      try bytes.prefix(count).write(to: URL(fileURLWithPath: path))
      let report = try salvage(path, events, "cut to \(part)")
      #expect(report?.isComplete != true, "\(part)")
    }
    for lost in [16, 100, 4_096] {
      try (Data(count: lost) + bytes.dropFirst(lost)).write(to: URL(fileURLWithPath: path))
      let report = try #require(try salvage(path, events, "header \(lost)"))
      #expect(report.events > events.count - 10, "\(lost): \(report.losses)")
    }
    // Rows anywhere: pages in another order still have their rows.
    let shuffled = stride(from: 0, to: bytes.count, by: 4_096).map { bytes[$0..<$0 + 4_096] }.reversed()
    try Data(shuffled.joined()).write(to: URL(fileURLWithPath: path))
    try salvage(path, events, "reversed")
  }

  @Test func `rows of each size are taken out, also those that fill their pages to the last byte`() throws {
    let store = try SQLiteEventStore(path: log)
    // What is left of a record of these sizes, beside one full page, goes from some bytes to all that a page can have.
    let sized = (Array(4_550...5_100) + Array(7_600...8_170)).map { size in
      NewEvent(type: "Sized", payload: "\"" + String(repeating: "a", count: size) + "\"")
    }
    try store.append(Append(sized, to: "s"))
    let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
    store.close()
    let path = folder.path("damaged")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    bytes.replaceSubrange(0..<16, with: Data(count: 16))
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try #require(try salvage(path, events, "each size"))
    #expect(report.events == events.count, "\(report.losses)")
  }

  @Test func `what is no log is refused, and random bytes in any place crash nothing`() throws {
    let events = try fill(60)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let path = folder.path("damaged")
    var random = SystemRandomNumberGenerator()
    for count in [0, 1, 99, 5_000, 50_000] {
      try Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }).write(to: URL(fileURLWithPath: path))
      #expect(throws: EventStoreError.self) { try SQLiteEventStore.salvage(path, to: folder.path("none")) }
    }
    for round in 0..<40 {
      var damaged = bytes
      for _ in 0..<(1 << (round % 10)) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try damaged.write(to: URL(fileURLWithPath: path))
      try salvage(path, events, "random \(round)")
    }
  }

  @Test func `commits that are beside the log are read, and a torn one is not`() throws {
    let store = try SQLiteEventStore(path: log)
    for number in 0..<40 {
      try store.append(
        Append([NewEvent(type: "T", payload: "\(number)"), NewEvent(type: "T", payload: "\(number)")], to: "s"))
    }
    let events = try store.events(.all, after: 0, through: nil, limit: 1_000)
    let (path, commits) = (folder.path("copy"), try Data(contentsOf: URL(fileURLWithPath: log + "-wal")))
    try Data(contentsOf: URL(fileURLWithPath: log)).write(to: URL(fileURLWithPath: path))
    #expect(commits.count > 40_000)
    try commits.write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(try salvage(path, events, "whole")?.events == 80)
    try commits.prefix(commits.count / 2).write(to: URL(fileURLWithPath: path + "-wal"))
    let report = try #require(try salvage(path, events, "torn", showsLoss: false))
    #expect(report.events > 0 && report.events < 80 && report.events % 2 == 0)
    // Without its commits, the log itself says that there were some.
    try store.backUp(to: folder.path("other"))
    for number in 0..<2_000 { try store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s")) }
    try Data(contentsOf: URL(fileURLWithPath: log)).write(to: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path + "-wal")
    let all = try store.events(.all, after: 0, through: nil, limit: 10_000)
    let without = try #require(try salvage(path, all, "without commits", showsLoss: false))
    #expect(without.losses.contains { $0.reason.contains("without its write-ahead log (-wal)") }, "\(without.losses)")
    store.close()
  }

  @Test func `what was erased does not come back, and a compacted log is salvaged as it is`() throws {
    try fill(40)
    do {
      let store = try SQLiteEventStore(path: log)
      try store.erase(subject: "s3")
    }
    let target = folder.path("new")
    let report = try SQLiteEventStore.salvage(log, to: target)
    #expect(report.isComplete, "\(report.losses)")
    let (old, new) = (try SQLiteEventStore(readingFrom: log), try SQLiteEventStore(readingFrom: target))
    #expect(try new.valueCount(of: "s3") == 0 && new.valueCount(of: "s4") == old.valueCount(of: "s4"))
    #expect(
      try new.events(.all, after: 0, through: nil, limit: 1_000)
        == old.events(.all, after: 0, through: nil, limit: 1_000))
  }
}
