import AnnalsTesting
import Dispatch

/// An executor with its own threads, for async work that a blocked thread waits for.
///
/// Tests with long computations occupy all threads of Swift's pool. On that pool, this work waited 20 s for a thread.
package final class OwnThreads: TaskExecutor {
  package static let shared = OwnThreads()

  private let queue = DispatchQueue(label: "AnnalsTesting.own", attributes: .concurrent)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
