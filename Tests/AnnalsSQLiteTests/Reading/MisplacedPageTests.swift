import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// Pages that are whole, with a checksum that fits, and lie in another page's place.
///
///     ANNALS_PAGES_EVERY=1 swift test --filter MisplacedPageTests
@Suite struct MisplacedPageTests {
  private static let every =
    ProcessInfo.processInfo.environment["ANNALS_PAGES_EVERY"].flatMap { Int($0) }.map { max(1, $0) } ?? 7

  private static let questions: [(name: String, ask: @Sendable (SQLiteEventStore) throws -> String)] = [
    ("types", { "\(try $0.typeCounts())" }),
    // The number of tags is in no other place: a part of that table in the place of the whole is a smaller table.
    ("statistics", { "\(try $0.statistics())".replacing(#/ tags: [0-9]+,/#, with: "") }),
    ("subjects", { "\(try $0.subjects())" }),
    ("followers", { "\(try $0.followers())" }),
    // A saved list's size is in no other place either.
    ("states", { "\(try $0.snapshotCount())" }),
    ("erasures", { "\(try $0.erasureHistory())" }),
    ("compactions", { "\(try $0.compactionHistory())" }),
    ("streams", { "\(try $0.streamNames())" }),
    (
      "first and last",
      { store in
        let first = try store.events(.all, after: 0, through: nil, limit: 1).first
        let last = try store.eventsBackwards(.all, after: 0, through: nil, limit: 1).first
        return [first, last].map { event in
          event.map { "\($0.position) \($0.stream) \($0.id) \($0.tags.sorted()) \($0.payload ?? "")" } ?? "none"
        }.joined(separator: " ")
      }
    ),
  ]

  @Test func `what info, subjects and kept say of a log with a page in another's place is right or an error`() throws {
    // Enough events for a tree of several pages, and some of every table.
    let log = try DamagedLog { store in
      for number in 0..<300 {
        let text = String(repeating: "x", count: number % 40)
        try store.append(
          Append(
            [
              NewEvent(
                type: "Plain\(number % 3)",
                payload: #"{"n":\#(number),"p":{"$personal":"person \#(number % 4)","value":"\#(text)"}}"#)
            ], to: StreamName("plain-\(number % 50)")))
      }
      try store.erase(subject: "person 2")
    }
    let path = log.folder.path("damaged")
    func answers() throws -> [String: String] {
      let store = try SQLiteEventStore(readingFrom: path, observesExternalWriters: false)
      defer { store.close() }
      var found: [String: String] = [:]
      for (name, ask) in Self.questions {
        // An error is a right result.
        do { found[name] = try ask(store) } catch is EventStoreError {}
      }
      return found
    }
    try log.write(log.whole)
    let right = try answers()
    #expect(right.count == Self.questions.count)
    let pages = log.whole.count / 4_096
    var (number, tried, noticed): (Int, Int, Int) = (0, 0, 0)
    var wrong: [String] = []
    for place in 1..<pages {
      for other in 0..<pages where other != place {
        number += 1
        guard number % Self.every == 0 else { continue }
        var bytes = log.whole
        bytes.replaceSubrange(
          place * 4_096..<(place + 1) * 4_096, with: log.whole[other * 4_096..<(other + 1) * 4_096])
        if bytes == log.whole { continue }
        tried += 1
        try log.write(bytes)
        guard let found = try? answers() else {
          noticed += 1
          continue
        }
        if found.count < right.count { noticed += 1 }
        // A follower with a problem is reported as damaged.
        for (name, answer) in found where answer != right[name] && !answer.contains("is damaged") {
          wrong.append("page \(other + 1) in the place of \(place + 1): \(name): \(answer.prefix(200))")
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) of \(tried): \(wrong.prefix(10).joined(separator: "\n"))")
    #expect(noticed > tried / 4, "\(noticed) of \(tried)")
  }
}
