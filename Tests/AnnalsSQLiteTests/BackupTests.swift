import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Copies of a log that is in use.
@Suite struct BackupTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a copy that is made while others append is the log in one state`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let text = String(repeating: "x", count: 3_000)
    let folder = folder
    @Sendable func append(_ number: Int) throws {
      let event = NewEvent(type: "T", payload: "\"\(number)\(text)\"", tags: ["t"])
      try store.append(Append([event, event], to: "s"))
    }
    for number in 0..<300 { try append(number) }
    let isDone = Atomic<Bool>(false)
    let heads = Mutex<[Position]>([])
    let failures = Mutex<[String]>([])
    onThreads(3) { lane in
      do {
        if lane == 0 {
          var parts: [Double] = []
          for number in 0..<4 {
            let head = try store.backUp(to: folder.path("copy-\(number)")) { parts.append($0) }
            heads.withLock { $0.append(head) }
          }
          isDone.store(true, ordering: .relaxed)
          if parts.last != 1 { failures.withLock { $0.append("\(parts)") } }
        } else {
          var number = 0
          while !isDone.load(ordering: .relaxed), number < 5_000 {
            try append(number)
            number += 1
          }
        }
      } catch {
        isDone.store(true, ordering: .relaxed)
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    for (number, head) in heads.withLock({ $0 }).enumerated() {
      let copy = try SQLiteEventStore(readingFrom: folder.path("copy-\(number)"))
      #expect(try copy.head() == head && head.rawValue % 2 == 0 && head >= 600)
      #expect(copy.source == store.source)
      #expect(try copy.verify().isSound)
      #expect(
        try copy.events(.all, after: 0, through: nil, limit: 100_000)
          == store.events(.all, after: 0, through: head, limit: 100_000))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(!names.contains { $0.contains("unfinished") })
    // A copy is an ordinary log.
    let copy = try SQLiteEventStore(path: folder.path("copy-0"))
    try copy.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
  }

  @Test func `a file that is there, a failing progress and a missing folder leave no copy`() throws {
    struct Enough: Error {}
    let store = try SQLiteEventStore(path: folder.path("log"))
    try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("there")))
    let there = #expect(throws: EventStoreError.self) { try store.backUp(to: folder.path("there")) }
    #expect(there?.code == .io && there?.message.contains("expected no such file") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("there"))) == Data("mine".utf8))
    #expect(throws: Enough.self) { try store.backUp(to: folder.path("copy")) { _ in throw Enough() } }
    #expect(throws: EventStoreError.self) { try store.backUp(to: folder.path("none/copy")) }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { !$0.hasPrefix("log") } == ["there"])
    #expect(try store.backUp(to: folder.path("copy")) == 1)
  }
}
