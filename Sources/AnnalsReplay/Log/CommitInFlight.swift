import Annals
import AnnalsSQLite
import Dispatch
import Synchronization

/// Appends that are being committed on another thread, while you prepare the next ones.
final class CommitInFlight: Sendable {
  private let body: Mutex<(@Sendable () throws -> GroupReceipt)?>
  private let answer = Mutex<Result<GroupReceipt, any Error>?>(nil)
  private let end = DispatchGroup()

  /// Begins to commit.
  ///
  /// - Parameter body: Commits, on another thread.
  init(_ body: @escaping @Sendable () throws -> GroupReceipt) {
    self.body = Mutex(body)
    end.enter()
    DispatchQueue.global().async { [self] in
      let found = run()
      answer.withLock { $0 = found }
      end.leave()
    }
  }

  /// Runs the body, and lets go of it and of the store that it holds.
  ///
  /// Otherwise the store would close on the other thread, perhaps after the process has ended.
  private func run() -> Result<GroupReceipt, any Error> {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    return Result {
      guard let body else { preconditionFailure("a group is committed once") }
      return try body()
    }
  }

  /// Waits for the answer.
  func wait() throws -> GroupReceipt {
    end.wait()
    guard let found = answer.withLock({ $0 }) else { preconditionFailure("the group was left with an answer") }
    return try found.get()
  }
}
