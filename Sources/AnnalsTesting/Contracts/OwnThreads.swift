import Dispatch

/// Threads of their own for async work that a thread waits for.
///
/// Tests that compute for long have all threads of Swift's own pool: work that was begun there waited 20 s for one.
package final class OwnThreads: TaskExecutor {
  package static let shared = OwnThreads()

  private let queue = DispatchQueue(label: "AnnalsTesting.own", attributes: .concurrent)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
