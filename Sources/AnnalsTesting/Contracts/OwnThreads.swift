import Dispatch

/// Separate threads for async work that a thread waits for.
///
/// Tests with long computations occupy the whole pool of Swift concurrency. Work that was started there waited 20 s for
/// a thread.
package final class OwnThreads: TaskExecutor {
  package static let shared = OwnThreads()

  private let queue = DispatchQueue(label: "AnnalsTesting.own", attributes: .concurrent)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
