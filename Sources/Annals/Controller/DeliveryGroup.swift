import Dispatch
import Foundation
import Synchronization

/// What a group knows of a controller, whatever its rows are.
protocol DeliveryMember: AnyObject {
  /// The pass that the controller takes part in, while there is one.
  var pass: DeliveryPass? { get set }
  /// The position after which the controller wants to see events; nil while it wants none.
  var missing: Position? { get }
  /// Folds what is new and finds what changed; nothing that anyone sees changes yet.
  ///
  /// - Parameter tail: The log's end, and the events before it that the group's controllers do not have, or the first
  ///   of them.
  func prepare(_ tail: Result<LogTail, any Error>)
  /// Shows the new list and tells the observers what changed.
  func deliver()
  /// The job that has the rows of a list that follows the log, while it is at work.
  var lentTo: (any AnyRowsJob)? { get }
  /// The revision of the log that the rows were made from; nil before anything was read.
  var revision: LogRevision? { get }
  /// True if the store could not be read for the list.
  var isFailing: Bool { get }
  /// True if the list follows the log, so that a job may have its rows.
  var mayLend: Bool { get }
  /// Lets a job have the rows, to fold them and to cut the list.
  func lend() -> any AnyRowsJob
  /// Gives up what cannot be read any more in another revision of the log.
  func notice(_ revision: LogRevision)
  /// Lets go of rows that are in memory and need not be.
  func letGoOfRows()
}

/// One going pass of all controllers of a group: first each of them prepares, then each delivers.
///
/// What is asked for meanwhile, by a command or a seek inside a callback, waits here for the next turn, so that
/// brackets never nest.
final class DeliveryPass {
  var everyone = false
  var waiting: [any DeliveryMember] = []
}

/// The controllers of one store in one isolation: they reach a position together.
///
/// A group with an owner delivers in the owner's isolation: at once for a commit made there, which for one that is
/// awaited means as soon as the caller is back, and by one job for others. In a group without owner each controller is
/// delivered to by its last caller, inside that caller's own commit or refresh.
///
/// `@unchecked Sendable`: `members` and `rows` are touched only while `lock` is held; a controller only in the owner's
/// isolation, or by the caller that its `CallerGuard` let in.
final class DeliveryGroup: @unchecked Sendable {
  private struct Member {
    weak var controller: (any DeliveryMember)?
    let use: CallerGuard?
  }

  private struct SharedRows {
    weak var rows: AnyObject?
  }

  let store: any EventStore
  let hasOwner: Bool
  /// Weak: an actor may own the controller that holds this group.
  private weak var owner: (any Actor)?
  private let lock = NSLock()
  private var members: [Member] = []
  /// The rows that controllers may share.
  private var rows: [SharedRows] = []
  private var token: CommitSignal.Token?
  private var returnToken: CommitSignal.Token?
  /// Keeps the announcements of other writers coming; nil until a controller has fetched.
  private let hearing = Mutex<CommitSignal.Token?>(nil)
  /// True while a job is on its way to the owner.
  private let isScheduled = Mutex(false)
  /// Folds events and cuts lists, with a thread of its own while there is work.
  let queue = DispatchQueue(label: "Annals.lists", qos: .userInitiated)
  /// What is folded on that thread for all controllers; touched in the owner's isolation only.
  var round: DeliveryRound?

  private init(store: any EventStore, owner: (any Actor)?) {
    self.store = store
    self.owner = owner
    hasOwner = owner != nil
  }

  /// The group of a store and an isolation.
  static func of(_ store: any EventStore, owner: (any Actor)?) -> DeliveryGroup {
    all.withLock { groups in
      groups = groups.filter { $0.value.group != nil }
      let key = Key(store: ObjectIdentifier(store), owner: owner.map { ObjectIdentifier($0) })
      // A group holds its store, so that no other store has its address while the group is there.
      if let group = groups[key]?.group, !group.isAbandoned { return group }
      let group = DeliveryGroup(store: store, owner: owner)
      group.token = store.signal.watchAll { [weak group] in group?.heard($0) }
      group.returnToken = store.signal.watchReturns { [weak group] isolation in
        guard let group, let owner = group.owner, owner === isolation else { return }
        await group.deliverReturned(isolation: isolation)
      }
      groups[key] = Entry(group: group)
      return group
    }
  }

  /// The groups that controllers are in, by their stores and owners.
  private static let all = Mutex<[Key: Entry]>([:])

  private struct Key: Hashable {
    let store: ObjectIdentifier
    let owner: ObjectIdentifier?
  }

  private struct Entry {
    weak var group: DeliveryGroup?
  }

  /// True if the owner is gone, so that another actor may have its address.
  private var isAbandoned: Bool { hasOwner && owner == nil }

  func join(_ controller: some DeliveryMember, use: CallerGuard?) {
    lock.withLock { members.append(Member(controller: controller, use: use)) }
  }

  /// The rows of a projection that controllers of the group have already; nil if there are none.
  ///
  /// Only for a controller with an isolation, which is the group's: rows are used in one isolation.
  func rows<Row: Annals.Row>(of key: ProjectionKey, _ type: Row.Type) -> LiveRows<Row>? {
    // Compared without the lock: `==` may be anyone's code.
    let present = lock.withLock {
      rows.removeAll { $0.rows == nil }
      return rows.compactMap { $0.rows as? LiveRows<Row> }
    }
    return present.first { $0.key?.isSame(as: key) ?? false }
  }

  /// Lets other controllers of the group find rows.
  func offer<Row: Annals.Row>(_ found: LiveRows<Row>, of key: ProjectionKey) {
    found.key = key
    lock.withLock { rows.append(SharedRows(rows: found)) }
  }

  /// Begins to hear of other stores and processes, for as long as the group has controllers.
  ///
  /// A group without owner hears nothing: what is announced on a thread of the store's would be delivered to no one.
  func hearOthers() {
    guard hasOwner else { return }
    hearing.withLock { $0 = $0 ?? store.otherWriters?.announce() }
  }

  /// Delivers what is new, to one controller or to all that the caller may use.
  ///
  /// - Parameters:
  ///   - one: The controller; nil for all.
  ///   - known: What is delivered, if it was read already; nil for all that is new.
  func deliver(only one: (any DeliveryMember)? = nil, knowing known: LogTail? = nil) {
    var (asked, uses) = enter()
    defer { for use in uses { use.leave() } }
    if let pass = asked.compactMap(\.pass).first {
      if let one { pass.waiting.append(one) } else { pass.everyone = true }
      return
    }
    if let one { asked = [one] }
    let pass = DeliveryPass()
    var known = known
    while !asked.isEmpty {
      (pass.everyone, pass.waiting) = (false, [])
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

  /// Delivers the first list of a controller at once, also while a bracket of another is open.
  func deliverFirst(_ member: any DeliveryMember) {
    let pass = DeliveryPass()
    member.pass = pass
    member.prepare(tail(for: [member]))
    member.deliver()
    member.pass = nil
    if pass.everyone { deliver() } else if !pass.waiting.isEmpty { deliver(only: member) }
  }

  /// What the log has that some controllers do not, read at once for all of them.
  ///
  /// One call of one moment: a command in this process led to a few events, which are folded from memory.
  private func tail(for asked: [any DeliveryMember]) -> Result<LogTail, any Error> {
    let start = asked.compactMap(\.missing).min() ?? Position(.max)
    return Result { try store.tail(after: start, through: nil, limit: Self.tailLimit) }
  }

  /// Longer stretches are read batch by batch, each controller its own.
  private static let tailLimit = 256

  /// The controllers of a group with an owner, in its isolation.
  var ownersMembers: [any DeliveryMember] { enter().members }

  /// The controllers that the caller may use, and the guards that must be left afterwards.
  private func enter() -> (members: [any DeliveryMember], uses: [CallerGuard]) {
    let present = lock.withLock {
      members.removeAll { $0.controller == nil }
      return members
    }
    var found: [any DeliveryMember] = []
    var uses: [CallerGuard] = []
    for member in present {
      // Asked before the controller is held: its last reference must not end on a thread that it does not know.
      if let use = member.use {
        guard use.enterIfCurrentCaller() else { continue }
        uses.append(use)
      }
      if let controller = member.controller { found.append(controller) }
    }
    return (found, uses)
  }

  private func heard(_ announcement: CommitSignal.Announcement) {
    switch announcement {
    case .commit(let committer):
      guard hasOwner else { return deliver() }
      guard let owner else { return }
      if committer === owner || (owner === MainActor.shared && MainQueue.isCurrent) { return deliver() }
      schedule()
    case .ahead(let committer):
      // The caller's own group is delivered to by the caller, as soon as it is back.
      if let owner, committer !== owner { schedule() }
    case .returned:
      // One with an owner hears of it by `watchReturns`.
      if !hasOwner { deliver() }
    }
  }

  /// Lets a job in the owner's isolation deliver.
  private func schedule() {
    let isFirst = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isFirst else { return }
    hopToOwner { group in
      group.isScheduled.withLock { $0 = false }
      group.deliverBesides()
    }
  }

  /// Lets all controllers of a group with an owner let go of rows that need not be in memory.
  func letGoOfRows() {
    for member in ownersMembers where member.pass == nil { member.letGoOfRows() }
  }

  /// Runs a body in the owner's isolation, by a job that begins after a while.
  func hopToOwner(after pause: Duration, _ body: @escaping @Sendable (DeliveryGroup) -> Void) {
    let (seconds, attoseconds) = pause.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.hopToOwner(body) }
  }

  /// Runs a body in the owner's isolation, by a job.
  func hopToOwner(_ body: @escaping @Sendable (DeliveryGroup) -> Void) {
    guard let owner else { return }
    // Directly there: the threads that tasks begin on may all be busy.
    // Weak: a program that ends without another turn of its main queue would never let go of the store, which then
    // could not close its log.
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
