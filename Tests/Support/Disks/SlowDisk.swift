import Foundation

/// A disk on which every sync takes some milliseconds more.
package final class SlowDisk: FileWatcher {
  private let milliseconds: Int

  package init(milliseconds: Int = 1) {
    self.milliseconds = milliseconds
  }

  package func happened(_ event: FileEvent, to name: String) {
    if case .synced = event { usleep(UInt32(milliseconds) * 1_000) }
  }
}

/// A disk that does not wait for syncs, for files that are not needed after a test.
package final class QuickDisk: FileWatcher {
  package var needsSyncs: Bool { false }

  package init() {}

  package func happened(_ event: FileEvent, to name: String) {}
}
