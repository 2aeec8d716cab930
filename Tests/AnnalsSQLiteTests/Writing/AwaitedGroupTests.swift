import Annals
import AnnalsSQLite
import Disks
import Foundation
import Synchronization
import Testing

/// Awaited commits that meet at the disk.
@Suite struct AwaitedGroupTests {
  /// A slow disk that counts its syncs.
  private final class CountingDisk: FileWatcher {
    private let count = Mutex(0)

    func happened(_ event: FileEvent, to name: String) {
      guard case .synced = event else { return }
      count.withLock { $0 += 1 }
      usleep(3_000)
    }

    /// The syncs since the last call.
    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  @Test func `several awaited commits that wait share one sync`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      WatchedFiles.forget(folder)
      try? FileManager.default.removeItem(at: folder)
    }
    let disk = CountingDisk()
    try WatchedFiles.watch(folder, by: disk)
    let store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .power)
    _ = disk.take()
    for step in 0..<10 {
      try await store.append(Append([NewEvent(type: "T", payload: nil)], to: "one", expecting: .exact(step)))
    }
    // One task waits for each of its own.
    #expect(disk.take() >= 10)
    // Other tests may hold the threads, so that few of the tasks wait at once; not in each of several rounds.
    var (least, rounds) = (Int.max, 0)
    while least > 40, rounds < 5 {
      let start = rounds * 10
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<8 {
          group.addTask {
            for step in start..<start + 10 {
              try await store.append(
                Append([NewEvent(type: "T", payload: nil)], to: StreamName("\(lane)"), expecting: .exact(step)))
            }
          }
        }
        try await group.waitForAll()
      }
      least = min(least, disk.take())
      rounds += 1
    }
    #expect(least <= 40, "80 commits of 8 tasks took \(least) syncs at least")
    #expect(try store.head() == Position(10 + 80 * rounds))
    store.close()
  }
}
