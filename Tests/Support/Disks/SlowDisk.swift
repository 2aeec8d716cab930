import Foundation

/// A disk on which every sync takes a millisecond more.
package final class SlowDisk: FileWatcher {
  package init() {}

  package func happened(_ event: FileEvent, to name: String) {
    if case .synced = event { usleep(1_000) }
  }
}

/// A disk that does not wait for syncs, for files that are not needed after a test.
package final class QuickDisk: FileWatcher {
  package var needsSyncs: Bool { false }

  package init() {}

  package func happened(_ event: FileEvent, to name: String) {}
}
