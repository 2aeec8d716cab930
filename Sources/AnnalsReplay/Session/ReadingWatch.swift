import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Synchronization

/// Says how far a log has been read while this thread reads it and cannot say it.
///
/// It is for work that prints nothing and calls no one back, such as the fold up to a position.
final class ReadingWatch: Sendable {
  private struct Work {
    var words = ""
    var isRunning = false
  }

  private let total: Int
  private let work = Mutex(Work())
  private let isOver = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  // While the thread runs only it uses this: the thread that began it says nothing before it has waited for the end.
  nonisolated(unsafe) private let progress: Progress

  /// Makes a watch of reading up to a position, which is yet to begin.
  init(_ console: Console, through total: Int) {
    self.total = total
    progress = Progress(console)
  }

  /// Begins to look, ten times a second, at what is done from now on.
  ///
  /// - Parameter words: What is done; empty if that is clear.
  func begin(_ words: String = "") {
    guard progress.isSaying else { return }
    ReadingOffset.begin()
    let isFirst = work.withLock { work in
      defer { (work.words, work.isRunning) = (words, true) }
      return !work.isRunning
    }
    if isFirst { Thread { [self] in run() }.start() }
  }

  /// Ends, and removes the line; it can begin again.
  func end() {
    let wasRunning = work.withLock { work in
      defer { work.isRunning = false }
      return work.isRunning
    }
    guard wasRunning else { return }
    isOver.signal()
    hasEnded.wait()
    progress.end()
  }

  private func run() {
    while isOver.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      releasingObjects {
        let words = work.withLock { $0.words }
        progress.step(min(ReadingOffset.position.rawValue, total), of: total, "events", doing: words)
      }
    }
    hasEnded.signal()
  }
}

extension Session {
  /// Does what reads a log up to a position and prints nothing, and says meanwhile how far it is.
  func saying<T>(through end: Int, _ body: () throws -> T) rethrows -> T {
    let watch = ReadingWatch(console, through: end)
    watch.begin()
    defer { watch.end() }
    return try body()
  }
}
