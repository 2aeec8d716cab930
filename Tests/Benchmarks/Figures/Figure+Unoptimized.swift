import Annals
import AnnalsSQLite

extension Figure {
  /// The waiting times of a developer, who runs debug builds.
  static var unoptimized: [Figure] {
    #if DEBUG
      [
        firstScreenUnoptimized, changeAgainstArrays("", 10_000, atMost: 10).unoptimized("debug-change"),
        decodeEvent.unoptimized("debug-decode"),
      ]
    #else
      []
    #endif
  }

  /// The same work in a debug build, where only code of the toolchain and of SQLite is optimized.
  private func unoptimized(_ name: String) -> Figure {
    Figure(
      name, rows: rows, "\(work), in a debug build", against: baseline, of: resource, .cost(atMost: 30),
      prepare: prepare)
  }

  private static var firstScreenUnoptimized: Figure {
    Figure(
      "debug-first-screen", rows: 10_000,
      "opening a saved list, and reading its first fifty rows, in a debug build",
      against: "opening the log, and building the list from all events", of: .processor, .cost(atMost: 0.1)
    ) {
      let log = try WareLog(10_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      return Contest {
        try processorNanoseconds { try showFirst(log.path, cacheName: WareLog.cacheName) }
      } baseline: {
        try processorNanoseconds { try showFirst(log.path, cacheName: nil) }
      }
    }
  }
}
