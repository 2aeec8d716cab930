import AnnalsLog
import Dispatch
import Foundation
import Synchronization

/// A controller of any row type, with the members that its delivery group uses.
protocol DeliveryMember: AnyObject {
  /// The current pass that includes the controller, or `nil`.
  var pass: DeliveryPass? { get set }
  /// The position after which the controller needs events, or `nil` if it needs no events.
  var missing: Position? { get }
  /// Folds new events and computes the changes, without any visible effect yet.
  ///
  /// - Parameter tail: The log's end, and the events before it that the group's controllers lack: all of these events
  ///   or the first of them.
  func prepare(_ tail: Result<LogTail, any Error>)
  /// Shows the new list and notifies the observers of the changes.
  func deliver()
  /// The running job that has the rows of a live list, or `nil`.
  var lentTo: (any AnyRowsJob)? { get }
  /// The log revision that the rows were built from, or `nil` before the first read.
  var revision: LogRevision? { get }
  /// True if reading the store failed for the list.
  var isFailing: Bool { get }
  /// True if the list follows the log, so that a job may have its rows.
  var mayLend: Bool { get }
  /// Lends the rows to a job that folds events and builds the list.
  func lendRows() -> any AnyRowsJob
  /// Takes the rows back from a job.
  ///
  /// If the controller needs the rows for a delivery, this method waits for the job. Call it before you read any
  /// property that depends on the rows: `missing`, `revision` or `mayLend`.
  func takeBackRows()
  /// Discards saved data that can't be read at the log's new revision.
  func notice(_ revision: LogRevision)
  /// Releases rows that don't need to be in memory.
  func unloadRows()
}

/// A running pass over all controllers of a group: all of them prepare, then all of them deliver.
///
/// If a callback executes a command or a seek, the pass collects this request and repeats. So update cycles never nest.
final class DeliveryPass {
  /// True if the pass includes several controllers.
  var isShared = false
  var everyone = false
  var waiting: [any DeliveryMember] = []
  /// The changes that were computed in the pass, by the storages of both lists.
  ///
  /// Controllers that share a list also share its changes.
  private var made: [ListPair: any Sendable] = [:]

  /// The preparations of the controllers that were first with their requests.
  ///
  /// Controllers that share the list take its batch over.
  private var leads: [ObjectIdentifier: AnyObject] = [:]

  /// The preparation of the first controller with a request, or `nil`.
  ///
  /// A prepared request has one type of rows, so the preparation has the same type. A checked cast would look up the
  /// type for every controller.
  func lead<Row>(of request: PreparedRequest, _ type: Row.Type) -> ListLead<Row>? {
    guard let lead = leads[ObjectIdentifier(request)] else { return nil }
    return unsafeDowncast(lead, to: ListLead<Row>.self)
  }

  /// Records the preparation of the first controller with a request, which the preparation retains.
  func note<Row>(_ lead: ListLead<Row>) { leads[ObjectIdentifier(lead.prepared)] = lead }

  private struct ListPair: Hashable {
    let (old, new): (ObjectIdentifier, ObjectIdentifier)
  }

  /// Returns the changes between two lists, which are computed once in the pass.
  func changes<Row>(to new: Results<Row>, after old: Results<Row>, cause: ChangeCause) -> Changes<Row> {
    let pair = ListPair(old: ObjectIdentifier(old.storage), new: ObjectIdentifier(new.storage))
    // The known changes retain both lists, so other lists can't have the same addresses.
    if let known = made[pair] as? Changes<Row>, known.from == old.position, known.to == new.position {
      return known.cause == cause ? known : known.because(of: cause)
    }
    let changes = Changes(delivering: new, after: old, cause: cause)
    made[pair] = changes
    return changes
  }
}

/// The controllers of one store in one isolation, as a group whose lists reach every position together.
///
/// A group with an owner delivers in the owner's isolation. It delivers a commit from that isolation immediately, or
/// when the call returns if the commit is awaited. It delivers other commits in a job. In a group without an owner, a
/// controller delivers only to the caller that used it last, during that caller's own commit or refresh.
///
/// `@unchecked Sendable`: `members` and `rows` are accessed only while `lock` is held. Controllers are accessed only
/// in the owner's isolation, or by the caller that their `ExclusiveAccess` admitted.
final class DeliveryGroup: @unchecked Sendable {
  private struct Member {
    weak var controller: (any DeliveryMember)?
    let use: ExclusiveAccess?
  }

  private struct SharedRows {
    weak var rows: AnyObject?
  }

  private struct WeakRequest {
    weak var request: PreparedRequest?
  }

  let store: any EventStore
  /// The owner's identity, or `nil` in a group without an owner.
  private let ownerID: ObjectIdentifier?
  var hasOwner: Bool { ownerID != nil }
  /// Weak, because an actor may own the controller that holds this group.
  private weak var owner: (any Actor)?
  private let lock = NSLock()
  private var members: [Member] = []
  /// The rows that controllers may share.
  private var rows: [SharedRows] = []
  /// The requests of controllers, by their hash values.
  private var requests: [Int: [WeakRequest]] = [:]
  /// The number of hash values at which requests without controllers are removed.
  private var requestLimit = 64
  private var token: StoreRuntime.Token?
  private var returnToken: StoreRuntime.Token?
  /// A token that keeps the group subscribed to other writers' commits, or `nil` until a controller has fetched.
  private let hearing = Mutex<StoreRuntime.Token?>(nil)
  /// True while a job for the owner is scheduled.
  private let isScheduled = Mutex(false)
  /// A queue that folds events and builds lists.
  ///
  /// It uses a thread only while there is work.
  let queue = DispatchQueue(label: "Annals.lists", qos: .userInitiated)
  /// The round that runs on `queue` for all controllers.
  ///
  /// It is accessed only in the owner's isolation.
  var round: DeliveryRound?

  private init(store: any EventStore, owner: (any Actor)?) {
    self.store = store
    self.owner = owner
    ownerID = owner.map { ObjectIdentifier($0) }
  }

  /// Returns the group of a store and an isolation.
  static func of(_ store: any EventStore, owner: (any Actor)?) -> DeliveryGroup {
    all.withLock { groups in
      groups.removeAll { $0.group == nil }
      let ownerID = owner.map { ObjectIdentifier($0) }
      // A group retains its store, so no other store can have the same address during the group's lifetime.
      let known = groups.lazy.compactMap(\.group).first {
        $0.store === store && $0.ownerID == ownerID && !$0.isAbandoned
      }
      if let known { return known }
      let group = DeliveryGroup(store: store, owner: owner)
      group.token = store.runtime.watchAll { [weak group] in group?.heard($0) }
      group.returnToken = store.runtime.watchReturns { [weak group] isolation in
        guard let group, let owner = group.owner, owner === isolation else { return }
        await group.deliverReturned(isolation: isolation)
      }
      groups.append(Entry(group: group))
      return group
    }
  }

  /// The groups of the controllers.
  private static let all = Mutex<[Entry]>([])

  private struct Entry {
    weak var group: DeliveryGroup?
  }

  /// True if the owner was deallocated, so that another actor may have its address.
  private var isAbandoned: Bool { hasOwner && owner == nil }

  func join(_ controller: some DeliveryMember, use: ExclusiveAccess?) {
    lock.withLock {
      // Other callers' controllers aren't looked at in a delivery.
      if use != nil { members.removeAll { $0.controller == nil } }
      members.append(Member(controller: controller, use: use))
    }
  }

  /// Returns the rows of a projection that controllers of the group already have, or `nil`.
  ///
  /// The controller must have the group's isolation, because rows are used in one isolation.
  func rows<Row: Annals.Row>(of key: ProjectionKey, _ type: Row.Type) -> LiveRows<Row>? {
    // Compared without the lock, because `==` may be custom code.
    let present = lock.withLock {
      rows.removeAll { $0.rows == nil }
      return rows.compactMap { $0.rows as? LiveRows<Row> }
    }
    return present.first { $0.key?.isSame(as: key) ?? false }
  }

  /// Prepares a request, or returns the prepared request of another controller if the requests are equal.
  ///
  /// The lists of both controllers then share their storage. A group without an owner shares no lists.
  func prepare<Row: Annals.Row>(_ request: inout ListRequest<Row>) -> PreparedRequest {
    let new = PreparedRequest(request)
    guard hasOwner else { return new }
    let hash = new.sharingHash
    // Compared without the lock, because `==` may be custom code.
    let present = lock.withLock { requests[hash] ?? [] }.compactMap(\.request)
    for known in present where request.adopt(known) { return known }
    lock.withLock {
      if requests.count >= requestLimit {
        requests = requests.filter { $0.value.contains { $0.request != nil } }
        requestLimit = max(64, requests.count * 2)
      }
      requests[hash] = (requests[hash] ?? []).filter { $0.request != nil } + [WeakRequest(request: new)]
    }
    return new
  }

  /// Makes rows available to other controllers of the group.
  func offer<Row: Annals.Row>(_ found: LiveRows<Row>, of key: ProjectionKey) {
    found.key = key
    lock.withLock { rows.append(SharedRows(rows: found)) }
  }

  /// Subscribes to the commits of other stores and processes, for as long as the group has controllers.
  ///
  /// A group without an owner doesn't subscribe, because a thread of the store may not use the group's controllers.
  func observeExternalWriters() {
    guard hasOwner else { return }
    hearing.withLock { $0 = $0 ?? store.externalWriters?.announce() }
  }

  /// Delivers new events to one controller, or to all controllers that the caller may use.
  ///
  /// - Parameters:
  ///   - one: The controller, or `nil` for all controllers.
  ///   - known: The events to deliver if they were read already, or `nil` for all new events.
  func deliver(only one: (any DeliveryMember)? = nil, knowing known: LogTail? = nil) {
    var (asked, uses) = enter()
    defer { for use in uses { use.leave() } }
    for member in asked {
      guard let pass = member.pass else { continue }
      if let one { pass.waiting.append(one) } else { pass.everyone = true }
      return
    }
    if let one { asked = [one] }
    let pass = DeliveryPass()
    var known = known
    while !asked.isEmpty {
      (pass.everyone, pass.waiting, pass.isShared) = (false, [], asked.count > 1)
      for member in asked { member.pass = pass }
      let tail = known.map { .success($0) } ?? tail(for: asked)
      known = nil
      for member in asked { member.prepare(tail) }
      for member in asked { member.deliver() }
      for member in asked { member.pass = nil }
      guard pass.everyone else {
        asked = []
        for member in pass.waiting where !asked.contains(where: { $0 === member }) { asked.append(member) }
        continue
      }
      let (more, moreUses) = enter()
      asked = more
      uses += moreUses
    }
  }

  /// Delivers the first list of a controller immediately, even during another controller's update cycle.
  func deliverFirst(_ member: any DeliveryMember) {
    let pass = DeliveryPass()
    member.pass = pass
    member.prepare(tail(for: [member]))
    member.deliver()
    member.pass = nil
    if pass.everyone { deliver() } else if !pass.waiting.isEmpty { deliver(only: member) }
  }

  /// Reads the events that some controllers lack, once for all of them.
  ///
  /// A single call of the store gives a consistent view. Usually a command in this process appended a few events, so
  /// the store returns them from memory.
  private func tail(for asked: [any DeliveryMember]) -> Result<LogTail, any Error> {
    var start = Position(.max)
    for member in asked {
      member.takeBackRows()
      start = min(start, member.missing ?? start)
    }
    return Result { try store.tail(after: start, through: nil, limit: Self.tailLimit) }
  }

  /// The maximum number of events to read for all controllers together.
  ///
  /// Longer ranges are read in batches, separately for every controller.
  private static let tailLimit = 256

  /// The controllers of a group with an owner, in its isolation.
  var ownersMembers: [any DeliveryMember] { enter().members }

  /// Returns the controllers that the caller may use, and the guards to leave afterwards.
  private func enter() -> (members: [any DeliveryMember], uses: [ExclusiveAccess]) {
    let present = lock.withLock { members }
    var found: [any DeliveryMember] = []
    found.reserveCapacity(present.count)
    var uses: [ExclusiveAccess] = []
    var isStale = false
    for member in present {
      // Check this before the controller is retained, because its last release must not happen on a foreign thread.
      if let use = member.use {
        guard use.enterIfCurrentCaller() else { continue }
        uses.append(use)
      }
      if let controller = member.controller { found.append(controller) } else { isStale = true }
    }
    if isStale { lock.withLock { members.removeAll { $0.controller == nil } } }
    return (found, uses)
  }

  private func heard(_ announcement: StoreRuntime.Announcement) {
    switch announcement {
    case .commit(let committer): heardCommit(of: committer)
    case .below(let committer):
      // The caller committed to the base, so it doesn't wait until the branch has decided its commands anew.
      if hasOwner, let branch = store as? Branch, branch.decidesLater { schedule() } else { heardCommit(of: committer) }
    case .ahead(let committer):
      // The caller's own group is delivered to when the call returns.
      if let owner, committer !== owner { schedule() }
    case .returned:
      // `watchReturns` notifies groups with an owner.
      if !hasOwner { deliver() }
    }
  }

  private func heardCommit(of committer: (any Actor)?) {
    guard hasOwner else { return deliver() }
    guard let owner else { return }
    if committer === owner || (owner === MainActor.shared && MainQueue.isCurrent) { return deliver() }
    schedule()
  }

  /// Schedules a job that delivers in the owner's isolation.
  ///
  /// If a branch must first decide its commands anew, the group's thread does so.
  private func schedule() {
    let isFirst = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isFirst else { return }
    guard let branch = store as? Branch, branch.decidesLater else { return hopToDeliver() }
    queue.async { [weak self] in
      // Commits during the decision schedule another job.
      self?.isScheduled.withLock { $0 = false }
      // If the read fails, the delivery reports the reason.
      _ = try? branch.head()
      self?.hopToDeliver()
    }
  }

  private func hopToDeliver() {
    hopToOwner { group in
      group.isScheduled.withLock { $0 = false }
      group.deliverExternalChanges()
    }
  }

  /// Releases rows that don't need to be in memory, in all controllers of a group with an owner.
  func unloadRows() {
    for member in ownersMembers where member.pass == nil { member.unloadRows() }
  }

  /// Runs a body in the owner's isolation, in a job that begins after a pause.
  func hopToOwner(after pause: Duration, _ body: @escaping @Sendable (DeliveryGroup) -> Void) {
    let (seconds, attoseconds) = pause.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.hopToOwner(body) }
  }

  /// Runs a body in the owner's isolation, in a job.
  func hopToOwner(_ body: @escaping @Sendable (DeliveryGroup) -> Void) {
    guard let owner else { return }
    // The task starts on the main actor, because the threads of the default executor may all be busy. It captures the
    // group weakly: if a program exits without another turn of its main queue, a strong task would keep the store
    // alive and its log open.
    if owner === MainActor.shared {
      Task { @MainActor [weak self] in
        if let self { body(self) }
      }
    } else {
      Task { [weak self] in await self?.perform(body, isolation: owner) }
    }
  }

  private func perform(_ body: @Sendable (DeliveryGroup) -> Void, isolation: isolated any Actor) { body(self) }
}
