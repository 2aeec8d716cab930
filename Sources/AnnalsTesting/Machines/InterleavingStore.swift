public import Annals
import AnnalsLog
import Foundation
import Synchronization

/// A store that wraps another store, and lets a ``Machine`` run a second command while the first command is running.
///
/// Use an interleaving store as the system's store, and return it from the machine's `store(of:)`. For some steps, the
/// check then draws a second command. It runs the second command inside the first command: after a read, or before an
/// append, where another thread or process could interfere. The results and the system's final state must match a model
/// that runs the two commands one after the other, in either order. So, without additional test code, the check finds
/// problems such as an update that is lost when a command is retried.
///
///     final class TillSystem {
///       let store = InterleavingStore(MemoryEventStore())
///     }
public final class InterleavingStore: ForwardingEventStore {
  private struct Plan {
    /// The number of interleaving points before the action, or `nil` if there is no action.
    var left: Int?
    var action: (() -> Void)?
    var reads = 0
    var appends = 0
    /// The name of the point where the action ran.
    var moment: String?
  }

  /// The wrapped store.
  public let wrapped: any EventStore
  /// The plan of the current step.
  private let plan = Mutex<PlanBox?>(nil)

  /// A plan that is used only by the thread that created it, as `isOwn` verifies.
  private final class PlanBox: @unchecked Sendable {
    var plan: Plan
    private let owner = ObjectIdentifier(Thread.current)

    var isOwn: Bool { owner == ObjectIdentifier(Thread.current) }

    init(_ plan: Plan) { self.plan = plan }
  }

  /// Creates a store that wraps another store.
  ///
  /// - Parameter store: The store to wrap.
  public init(_ store: any EventStore) { wrapped = store }

  /// `nil`, so that every append is a separate call to ``commit(_:)``, and another command can run before it.
  public var grouping: (any GroupingStore)? { nil }

  /// Commits to the wrapped store.
  ///
  /// Another command can run before the commit.
  ///
  /// - Parameter append: The events and conditions to commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: Any error from the wrapped store.
  public func commit(_ append: Append) throws -> Receipt {
    pass { plan in
      plan.appends += 1
      return "before append \(plan.appends)"
    }
    return try wrapped.commit(append)
  }

  /// Reads from the wrapped store.
  ///
  /// Another command can run after the read.
  ///
  /// - Parameter body: A function that reads from the log.
  /// - Returns: The result of the body.
  /// - Throws: Any error from the wrapped store or the body.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    let answer = try wrapped.read(body)
    pass { plan in
      plan.reads += 1
      return "after read \(plan.reads)"
    }
    return answer
  }

  /// Runs a body, and runs an action at one of the body's interleaving points.
  ///
  /// - Parameters:
  ///   - moments: The number of points before the action.
  ///   - action: The action.
  ///   - body: The body.
  /// - Returns: The name of the point where the action ran, or `nil` if the body had too few points for the action to
  ///   run.
  func letIn(after moments: Int, _ action: () -> Void, during body: () -> Void) -> String? {
    withoutActuallyEscaping(action) { action in
      let box = PlanBox(Plan(left: moments, action: action))
      plan.withLock { $0 = box }
      body()
      plan.withLock { $0 = nil }
      box.plan.action = nil
      return box.plan.moment
    }
  }

  /// Passes an interleaving point, and runs the action if it is planned for this point.
  private func pass(_ name: (inout Plan) -> String) {
    guard let box = plan.withLock({ $0 }), box.isOwn, let left = box.plan.left else { return }
    let moment = name(&box.plan)
    guard left == 0 else {
      box.plan.left = left - 1
      return
    }
    box.plan.left = nil
    box.plan.moment = moment
    box.plan.action?()
  }
}
