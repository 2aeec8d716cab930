import AnnalsReplay
import Foundation
import Synchronization

extension Figure {
  /// The processor time of the tool's questions about a log of 1,000,000 events that has an index.
  static var questions: [Figure] {
    [
      question("show", ["show", "-n", "5"]), question("show-place", ["show", "500000", "-n", "5"]),
      question("show-sorted", ["show", "-n", "5", "--section-by", "shelf", "--sort", "price"]),
      question("event", ["log", "700000"]), question("diff", ["diff", "-100.."]),
      question("why", ["why", "ware-7", "--section-by", "shelf", "--sort", "price"]),
      question("find", ["find", "count > 100000"]), question("find-row", ["find", "row(ware-7).price > 1", "--each"]),
      question("tree", ["log", "--tree", "event-5000"]),
    ]
  }

  private static func question(_ name: String, _ words: [String]) -> Figure {
    Figure(
      "question-\(name)", rows: 1_000_000, "annals \(words.joined(separator: " ")), with an index",
      of: .processor, .value(atMost: 300_000_000)
    ) {
      let log = try IndexedLog.shared.log()
      // The first question makes the index.
      try log.ask(words)
      return Contest { try processorNanoseconds { try log.ask(words) } }
    }
  }
}

/// A log of 1,000,000 events with its indexes, which all questions share.
private final class IndexedLog: Sendable {
  static let shared = Mutex<IndexedLog?>(nil)

  private let lines: RecordLines

  init() throws {
    lines = try RecordLines(1_000_000)
    try RecordLines.run(["import", lines.file("log"), lines.path])
  }

  func ask(_ words: [String]) throws {
    try RecordLines.run([words[0], lines.file("log")] + words.dropFirst(), caches: lines.file("caches"))
  }
}

extension Mutex<IndexedLog?> {
  fileprivate func log() throws -> IndexedLog {
    try withLock { known in
      let log = try known ?? IndexedLog()
      known = log
      return log
    }
  }
}
