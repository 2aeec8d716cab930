import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Checks that the page on compaction shows code that compiles and runs.
@Suite struct CompactionGuideTests {
  @Test func `the code of the page on compaction does what the page says`() throws {
    let folder = try TemporaryFolder()
    for store in [MemoryEventStore(), try SQLiteEventStore(path: folder.path("log"))] as [any EventStore] {
      for id in ["1", "2"] {
        try store.execute(.opened(owner: "o\(id)", balance: 5), on: CompactionGuide.Account[id])
        for amount in 1...9 {
          try store.execute(.paidIn(amount: amount), on: CompactionGuide.Account[id])
          try store.execute(.paidOut(amount: 1), on: CompactionGuide.Account[id])
        }
      }
      let receipt = try CompactionGuide.compact(store)
      #expect(receipt.cut == 36 && receipt.replaced == 2 && receipt.remaining == 2 && receipt.horizon == 38)
      #expect(try store.state(of: CompactionGuide.Account["2"]).balance == 41)
      #expect(
        try store.events(.all, after: 0, through: nil, limit: 9).map(\.payload) == [
          #"{"balance":41,"owner":"o1"}"#, #"{"balance":41,"owner":"o2"}"#,
        ])
      #expect(try CompactionGuide.compact(store).isUnchanged)
    }
  }

  @Test func `an account is removed after its dry run was approved`() throws {
    let store: any EventStore = MemoryEventStore()
    for id in ["17", "18"] {
      try store.execute(.opened(owner: "o\(id)", balance: 1), on: CompactionGuide.Account[id])
    }
    try CompactionGuide.remove(store) { _ in false }
    #expect(try store.version(of: "Account-17") == 1)
    var found: [CompactionError] = []
    try CompactionGuide.remove(store) { reference in
      found.append(reference)
      return true
    }
    #expect(found.map(\.name) == [CompactionGuide.Balances.name])
    #expect(try store.version(of: "Account-17") == 0 && store.version(of: "Account-18") == 1)
  }

  @Test func `the page shows the code that is compiled`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let code = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "CompactionGuide.swift"), encoding: .utf8)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Docs/Compaction.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count == 3)
    for block in blocks { #expect(words(code).contains(words(block)), "\(block)") }
  }
}
