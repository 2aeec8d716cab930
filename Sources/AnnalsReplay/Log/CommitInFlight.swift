import Annals
import AnnalsSQLite
import Dispatch
import Synchronization

/// Appends that are being committed on another thread, while you prepare the next ones.
final class CommitInFlight: Sendable {
  private let answer = Mutex<Result<GroupReceipt, any Error>?>(nil)
  private let end = DispatchGroup()

  /// Begins to commit.
  ///
  /// - Parameter body: Commits, on a thread of its own.
  init(_ body: @escaping @Sendable () throws -> GroupReceipt) {
    end.enter()
    DispatchQueue.global().async { [self] in
      let found = Result { try body() }
      answer.withLock { $0 = found }
      end.leave()
    }
  }

  /// Waits for the answer.
  func wait() throws -> GroupReceipt {
    end.wait()
    guard let found = answer.withLock({ $0 }) else { preconditionFailure("the group was left with an answer") }
    return try found.get()
  }
}
