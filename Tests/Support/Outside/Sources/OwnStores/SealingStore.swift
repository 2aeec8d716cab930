import AnnalsLog
import Synchronization

/// A store around another one, in which payloads are kept in another form.
///
/// Readers and lists see payloads as they were appended. Types, tags, streams and metadata stay as they are, because
/// the store inside searches for them. What is saved of lists and of states is forwarded as it is: a store that must
/// not let the inside have it leaves these two capabilities out.
///
/// It erases nothing, because the store inside cannot find a person's values in a sealed payload. `erase(subject:)`
/// then throws the error `unsupported`.
public final class SealingStore: ForwardingEventStore {
  public let wrapped: any EventStore
  private let seal: Seal
  /// What stands for the members of lists at the store inside, which holds them weakly.
  private let members = Mutex<[SealedMember]>([])

  /// Creates a store around another one.
  ///
  /// - Parameters:
  ///   - inner: The store to keep sealed events in.
  ///   - key: What the seal is made with.
  public init(_ inner: any EventStore, key: UInt8) {
    (wrapped, seal) = (inner, Seal(key: key))
  }

  public func commit(_ append: Append) throws -> Receipt {
    // What no store may keep is refused here: behind the seal it is not seen.
    try append.validate()
    _ = try append.cutPersonalFields()
    var sealed = append
    // A repeat is another text each time behind the seal, so it is compared by what the caller gave.
    sealed.use = append.use
    for index in sealed.entries.indices {
      sealed.entries[index].event.payload = append.entries[index].event.payload.map(seal.close)
    }
    return try wrapped.commit(sealed)
  }

  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try wrapped.read { try body(EventLogView(of: $0, transform: seal.open)) }
  }

  /// Reads all events, because the store inside would count the bytes of sealed payloads.
  public func statistics(streamLimit: Int) throws -> LogStatistics {
    try read { try LogStatistics(of: $0, streamLimit: streamLimit) }
  }

  public var inlineLists: (any InlineListStore)? { wrapped.inlineLists.map { SealedLists(inner: $0, store: self) } }
  public var compacting: (any CompactingStore)? { wrapped.compacting.map { SealedCompacting(inner: $0, seal: seal) } }
  public var erasing: (any ErasingStore)? { nil }
  public var grouping: (any GroupingStore)? { nil }

  /// Hands the store inside a member that sees the events unsealed.
  private struct SealedLists: InlineListStore {
    let inner: any InlineListStore
    let store: SealingStore

    func add(_ member: any InlineListMember) throws {
      let sealed = SealedMember(member, store.seal)
      store.members.withLock { members in
        members.removeAll { $0.isGone }
        members.append(sealed)
      }
      try inner.add(sealed)
    }
  }

  /// Hands the work a transaction that reads events unsealed, and writes them sealed.
  private struct SealedCompacting: CompactingStore {
    let inner: any CompactingStore
    let seal: Seal

    func commitCompaction(
      progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
    ) throws -> CompactionReceipt {
      try inner.commitCompaction(progress: progress) { try work(SealedTransaction(transaction: $0, seal: seal)) }
    }
  }
}

/// A member of a list that reads sealed events; it holds the list's own member weakly, as a store does.
private final class SealedMember: InlineListMember {
  private struct Weak {
    weak var member: (any InlineListMember)?
  }

  private let weak: Mutex<Weak>
  private let seal: Seal

  init(_ member: any InlineListMember, _ seal: Seal) {
    weak = Mutex(Weak(member: member))
    self.seal = seal
  }

  private var member: (any InlineListMember)? { weak.withLock { $0.member } }
  var isGone: Bool { member == nil }

  func fold(_ log: any EventLog, saving lists: any SavedListStore) throws {
    try member?.fold(EventLogView(of: log, transform: seal.open), saving: lists)
  }

  func settle(isCommitted: Bool) { member?.settle(isCommitted: isCommitted) }
}

/// A transaction of a log of sealed events, which reads them unsealed.
private struct SealedTransaction: ForwardingEventLog, CompactionTransaction {
  let transaction: any CompactionTransaction
  let seal: Seal

  var wrapped: any EventLog { EventLogView(of: transaction, transform: seal.open) }

  func streams() throws -> [StreamName] { try transaction.streams() }
  func checkpoints() throws -> [Checkpoint] { try transaction.checkpoints() }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    try transaction.rewrite(
      plan.mapReplacements { event in
        var sealed = event
        sealed.payload = event.payload.map(seal.close)
        return sealed
      })
  }
}
