// Gives damaged logs to all of their readers. `.ci/fuzz-log` compiles this file with the sources of the store; the
// package's own build leaves it out.

import CAnnalsSQLite
import Foundation
@testable import Annals
@testable import AnnalsLog

/// A folder that is deleted with its last reference.
final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// The changes that an input makes to a log's bytes.
///
/// Its first byte says which checksums to repair afterwards, its second which question to ask. Each following group of
/// four bytes is a change: where, and how.
private struct Damage {
  /// The checksums that an attacker repairs who knows about them.
  enum Mending: Int {
    case none, pages, all, allAgain
  }

  let mending: Mending
  let log: Int
  let question: Int
  private let changes: ArraySlice<UInt8>

  init?(_ input: [UInt8]) {
    guard input.count >= 6, let mending = Mending(rawValue: Int(input[0]) & 3) else { return nil }
    (self.mending, log, question, changes) = (mending, Int(input[0]) >> 2 & 1, Int(input[1]), input[2...])
  }

  func apply(to log: DamagedLog) throws -> Data {
    var bytes = log.whole
    var rest = changes
    while rest.count >= 4 {
      let change = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let place = (Int(change[0]) << 16 | Int(change[1]) << 8 | Int(change[2])) % bytes.count
      bytes[place] = change[3] & 1 == 0 ? bytes[place] ^ (1 << (change[3] >> 5)) : change[3]
    }
    guard mending != .none else { return bytes }
    for page in 0..<bytes.count / 4_096 {
      bytes.withUnsafeMutableBytes {
        PageChecksum.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[page * 4_096..<(page + 1) * 4_096]))
      }
    }
    guard mending == .all || mending == .allAgain else { return bytes }
    try log.write(bytes)
    try? Mender(path: log.folder.path("damaged")).run()
    return (try? Data(contentsOf: URL(fileURLWithPath: log.folder.path("damaged")))) ?? bytes
  }
}

/// Gives saved lists, their pages and events matching checksums.
private struct Mender {
  let path: String

  func run() throws {
    let connection = try SQLiteConnection(path: path, access: .write)
    defer { connection.close() }
    func sum(_ texts: [String], _ bytes: [UInt8] = []) -> Int64 {
      var sum = CRC32()
      for text in texts { sum.add(text) }
      bytes.withUnsafeBytes { sum.add($0) }
      return Int64(sum.value)
    }
    var updates: [String] = []
    try? connection.ownStatement("SELECT number, name, fingerprint, generation, position, root FROM cache").run { row in
      let texts = [row.text(1) ?? "", row.text(2) ?? "", "\(row.int(0))", "\(row.int(3))", "\(row.int(4))"]
      updates.append("UPDATE cache SET checksum = \(sum(texts, row.blob(5))) WHERE number = \(row.int(0))")
    }
    try? connection.ownStatement("SELECT id, bytes FROM cache_page").run { row in
      let (cache, page) = (row.int(0) >> 32, row.int(0) & 0xFFFF_FFFF)
      updates.append(
        "UPDATE cache_page SET checksum = \(sum(["\(cache)", "\(page)"], row.blob(1))) WHERE id = \(row.int(0))")
    }
    let names = NameCache(connection)
    try? connection.ownStatement("SELECT \(EventReader.columns) FROM event").run { row in
      let checksum = EventChecksum.of(
        position: Int(row.int(0)), transaction: Int(row.int(1)), stream: try names.name(row.int(2), in: .stream) ?? "",
        version: Int(row.int(3)), type: try names.name(row.int(4), in: .type) ?? "", schema: Int(row.int(5)),
        source: try names.name(row.int(6), in: .source) ?? "", id: EventReader.id(row, 7) ?? "", time: row.int(8),
        tagText: row.text(9) ?? "", payload: row.text(10),
        metadataText: try EventReader(connection).metadataText(row, 11) ?? "")
      updates.append("UPDATE event SET checksum = \(checksum) WHERE position = \(row.int(0))")
    }
    for update in updates { try? connection.execute(update) }
  }
}

/// The logs, made once.
///
/// One has personal values, so that its saved list is read as a whole. The rows of the other are read one by one.
private let logs: [DamagedLog] = {
  do {
    return [try DamagedLog(), try DamagedLog { try DamagedLog.eraseAll($0) }]
  } catch { fatalError("the log cannot be made: \(error)") }
}()

/// The questions that need a right answer or an error even with repaired pages.
///
/// Events have their own checksums, and none may be missing.
private let certain: Set = [
  "events", "the first events", "events up to one", "events backwards", "the last events", "a page", "a list",
  "a saved list",
  "a follower",
]

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let damage = Damage(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
  do {
    let log = logs[damage.log]
    let bytes = try damage.apply(to: log)
    let names = DamagedLog.allQuestions.map(\.name)
    // The saved list is asked for more often than the rest, because it has the most to read.
    let asked = damage.question < 96 ? "a saved list" : names[damage.question % names.count]
    let faults = try log.faults(bytes, [asked])
    if damage.mending == .none || damage.mending == .pages && certain.contains(asked) {
      precondition(faults.isEmpty, "\(faults)")
    }
    if damage.question % 16 == 0 {
      try log.write(bytes)
      _ = try? SQLiteEventStore(readingFrom: log.folder.path("damaged")).verify()
    }
  } catch {
    fatalError("neither an answer nor an error that a log may lead to: \(error)")
  }
  return 0
}
