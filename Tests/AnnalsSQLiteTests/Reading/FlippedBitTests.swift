import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Flips bits anywhere in a log's file: for every question, the answer is right, or an error.
///
/// `ANNALS_FLIP_EVERY=1 swift test -c release --filter FlippedBitTests` flips every bit of the file, one after the
/// other. The value 8 flips every eighth.
@Suite struct FlippedBitTests {
  private let log: DamagedLog
  /// A log whose saved list is read row by row, because it has no value that could be erased.
  private let lazyLog: DamagedLog

  init() throws {
    log = try DamagedLog()
    lazyLog = try DamagedLog { try DamagedLog.eraseAll($0) }
  }

  private func flip(_ bit: Int, _ bytes: inout Data) { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }

  @Test func `every bit that is flipped in a page changes what its checksum should be`() {
    let bytes = [UInt8](log.whole)
    #expect(bytes.count % 4_096 == 0)
    var page = [UInt8](repeating: 0, count: 4_096)
    for start in stride(from: 0, to: bytes.count, by: 4_096) {
      page = Array(bytes[start..<start + 4_096])
      let fits = page.withUnsafeBytes { PageChecksum.fits($0) }
      #expect(fits)
      // Each byte once, with another bit in each page; and all bits of one page.
      for place in 0..<4_096 {
        for bit in start == 4_096 ? 0..<8 : (place + start / 4_096) % 8..<(place + start / 4_096) % 8 + 1 {
          page[place] ^= 1 << UInt8(bit)
          if page.withUnsafeBytes({ PageChecksum.fits($0) }) { Issue.record("byte \(place), bit \(bit)") }
          page[place] ^= 1 << UInt8(bit)
        }
      }
    }
  }

  @Test func `every bit that is flipped in the file's header leads to a right answer or an error`() throws {
    for bit in 0..<800 where bit % (ProcessInfo.processInfo.environment["ANNALS_FLIP_EVERY"] == nil ? 3 : 1) == 0 {
      var bytes = log.whole
      flip(bit, &bytes)
      let faults = try log.faults(bytes, ["events", "a saved list", "streams"])
      #expect(faults.isEmpty, "byte \(bit / 8), bit \(bit % 8): \(faults)")
    }
  }

  /// Writes the log with a change and right checksums of its pages.
  private func writeMended(_ change: (inout Data) -> Void) throws -> String {
    var bytes = log.whole
    change(&bytes)
    bytes.withUnsafeMutableBytes {
      for page in stride(from: 0, to: $0.count, by: 4_096) {
        PageChecksum.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[page..<page + 4_096]))
      }
    }
    try log.write(bytes)
    return log.folder.path("damaged")
  }

  /// An entry of the index of streams becomes a text: a bit that the fuzzer found.
  @Test(.timeLimit(.minutes(60)))
  func `an index whose versions are out of order is reported, and not searched for ever`() throws {
    // SQLite's form of an entry: four bytes say that it is the first stream, and that a version and a position follow,
    // of a byte each. Here they are version 3 at position 11.
    let entry = try #require(log.whole.firstRange(of: Data([4, 9, 1, 1, 3, 11])))
    let path = try writeMended { $0[entry.lowerBound + 2] ^= 1 << 4 }
    let report = try SQLiteEventStore(readingFrom: path).verify()
    let problem = "expected a stream version from 4 to 9007199254740992 in the index of stream versions, found 0"
    #expect(report.problems.contains { $0.description.contains(problem) }, "\(report.problems)")
  }

  @Test(.timeLimit(.minutes(60)), arguments: [1, 2, 99])
  func `an index whose positions are out of order is an error, and no page that is read for ever`(limit: Int) throws {
    // The second and the last version of the first stream change their positions, so that the search for a position's
    // version ends too early.
    let second = try #require(log.whole.firstRange(of: Data([4, 9, 1, 1, 2, 6])))
    let eighth = try #require(log.whole.firstRange(of: Data([4, 9, 1, 1, 8, 36])))
    let path = try writeMended { bytes in
      (bytes[second.upperBound - 1], bytes[eighth.upperBound - 1]) = (36, 6)
    }
    let store = try SQLiteEventStore(readingFrom: path)
    #expect(throws: EventStoreError.self) {
      var last: Position = 11
      while let event = try store.events(.stream("Tools-0"), after: last, through: nil, limit: limit).last {
        last = event.position
      }
    }
  }

  @Test func `bits that are flipped anywhere lead to a right answer or an error, for all who ask`() throws {
    if let step = ProcessInfo.processInfo.environment["ANNALS_FLIP_EVERY"].flatMap({ Int($0) }) {
      var count = 0
      for bit in stride(from: 0, to: log.whole.count * 8, by: step) {
        var bytes = log.whole
        flip(bit, &bytes)
        let faults = try log.faults(bytes)
        #expect(faults.isEmpty, "byte \(bit / 8), bit \(bit % 8): \(faults)")
        count += 1
      }
      print("\(count) bits were flipped")
      return
    }
    let bits = log.whole.count * 8
    try check(
      .array(of: .int(in: 0...bits - 1), count: 1...8), settings: CheckSettings(examples: 60)
    ) { flips in
      var bytes = log.whole
      for bit in flips { flip(bit, &bytes) }
      let faults = try log.faults(bytes)
      try ensure(faults.isEmpty, "\(faults)")
    }
  }

  @Test func `bits that are flipped anywhere lead to a right saved list or an error, also where rows are read late`()
    throws
  {
    let bits = lazyLog.whole.count * 8
    try check(
      .array(of: .int(in: 0...bits - 1), count: 1...8), settings: CheckSettings(examples: 150)
    ) { flips in
      var bytes = lazyLog.whole
      for bit in flips { flip(bit, &bytes) }
      let faults = try lazyLog.faults(bytes, ["a saved list", "a list", "a follower"])
      try ensure(faults.isEmpty, "\(faults)")
    }
  }

  @Test func `a log with a damaged page is not found sound`() throws {
    let path = log.folder.path("page")
    for page in 1..<log.whole.count / 4_096 {
      var bytes = log.whole
      flip(page * 4_096 * 8 + 8 * 40 + page % 8, &bytes)
      try bytes.write(to: URL(fileURLWithPath: path))
      do {
        let report = try SQLiteEventStore(readingFrom: path).verify()
        // A free page contains nothing that a question reads.
        let isFree = try log.faults(bytes).isEmpty && report.isSound
        #expect(!report.isSound || isFree, "page \(page + 1)")
        if !report.isSound {
          #expect(report.problems.contains { $0.message.contains("page \(page + 1) ") }, "\(report)")
        }
      } catch let error as EventStoreError {
        #expect(error.code == .corrupt && error.message.contains("page \(page + 1) doesn't match its checksum"))
      }
    }
  }
}
