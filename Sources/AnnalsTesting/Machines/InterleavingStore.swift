public import Annals
import Foundation
import Synchronization

/// A store between an app and its store, at whose moments a machine lets another command in.
///
/// Make the system's store one of these, and return it from the machine's `store(of:)`. Then the check draws a second
/// command for some steps, and runs it at a moment of the first: after one of its reads, or before one of its appends,
/// where another thread or process may come in. What both answered, and the system afterwards, must be what the model
/// says of one of the two orders. So an update that gets lost when a command is tried again is found, and no line is
/// written for it.
///
///     final class TillSystem {
///       let store = InterleavingStore(MemoryEventStore())
///     }
public final class InterleavingStore: EventStore {
  private struct Plan {
    /// How many moments pass before the action; nil if there is none.
    var left: Int?
    var action: (() -> Void)?
    var reads = 0
    var appends = 0
    /// The moment at which the action ran.
    var moment: String?
  }

  private let store: any EventStore
  /// The plan of the step that runs now.
  private let plan = Mutex<PlanBox?>(nil)

  /// A plan, which only the thread that made it uses; `isOwn` guards this.
  private final class PlanBox: @unchecked Sendable {
    var plan: Plan
    private let owner = ObjectIdentifier(Thread.current)

    var isOwn: Bool { owner == ObjectIdentifier(Thread.current) }

    init(_ plan: Plan) { self.plan = plan }
  }

  /// Creates a store in front of another.
  ///
  /// - Parameter store: The store.
  public init(_ store: any EventStore) { self.store = store }

  /// The other store's source.
  public var source: String { store.source }
  /// The other store's environment.
  public var environment: StoreEnvironment { store.environment }
  /// The other store's signal.
  public var signal: CommitSignal { store.signal }
  /// The other store's checkpoints.
  public var checkpoints: (any CheckpointStore)? { store.checkpoints }
  /// The other store's states.
  public var snapshots: (any SnapshotStore)? { store.snapshots }
  /// The other store's drafts.
  public var drafts: (any DraftStore)? { store.drafts }
  /// The other store's saved lists.
  public var savedLists: (any SavedListStore)? { store.savedLists }
  /// The other store's lists in its appends.
  public var inlineLists: (any InlineListStore)? { store.inlineLists }
  /// The other store's erasures.
  public var erasing: (any ErasingStore)? { store.erasing }
  /// The other store's compactions.
  public var compacting: (any CompactingStore)? { store.compacting }
  /// The other store's other writers.
  public var otherWriters: (any OtherWriters)? { store.otherWriters }

  /// Commits to the other store, after a moment.
  ///
  /// - Parameter append: What to commit.
  /// - Returns: Where the events went.
  /// - Throws: What the other store throws.
  public func commit(_ append: Append) throws -> Receipt {
    pass { plan in
      plan.appends += 1
      return "before append \(plan.appends)"
    }
    return try store.commit(append)
  }

  /// Reads from the other store, before a moment.
  ///
  /// - Parameter body: Reads from the log.
  /// - Returns: What the body returned.
  /// - Throws: What the other store or the body throws.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    let answer = try store.read(body)
    pass { plan in
      plan.reads += 1
      return "after read \(plan.reads)"
    }
    return answer
  }

  /// Runs a body, and an action at one of its moments.
  ///
  /// - Parameters:
  ///   - moments: How many moments pass before the action.
  ///   - action: The action.
  ///   - body: The body.
  /// - Returns: The moment at which the action ran; nil if the body had no such moment, and the action did not run.
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

  /// Passes a moment, and runs the action if it is the one.
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
