package import AnnalsLog

/// The state of a copy: its last event, and the remote log's erasures and compactions that were repeated in the copy.
///
/// Checkpoints next to the copy store which of the remote log's erasures and compactions were repeated in the copy. All
/// erasures and compactions of the remote log are numbered in one sequence. Before a replica erases or compacts the
/// copy, it stores (claims) the new number in a checkpoint. An append to the copy has a condition: the claimed number
/// must still be the number that the remote log had when the appended events were read. So an event that was read
/// before an erasure can't be appended after the erasure, no matter which replica fills the copy.
struct ReplicaEnd: Sendable {
  /// The names of the checkpoints.
  let names: ReplicaNames
  /// The position that the copy has reached.
  let head: Position
  /// The copy's last event, or `nil` if the copy has no events.
  ///
  /// If later events were removed, the position of this event is lower than `head`.
  let last: StoredEvent?
  /// The number of the remote log's compactions that were repeated in the copy.
  let compacted: Int
  /// The visible part of a copy that lacks a compaction, or `nil` if the whole copy is visible.
  let unfinished: UnfinishedCopy?
  /// The number of the remote log's revision, or `nil` if it was never stored.
  let kept: Int?
  /// The number through which all changes of the remote log are repeated in the copy.
  let done: Int
  /// The number through which the copy has all erasures, or `nil` if it was never stored.
  ///
  /// A compaction after an erasure can add new data of the erased subject. So an erasure that was already repeated in
  /// the copy must not be repeated a second time.
  private let noted: Int?
  /// The value that distinguishes the remote log's history through `done` from other histories with the same number of
  /// changes, or `nil` if unknown.
  let lineage: Int?
  /// The value that corresponds to `lineage`, but for the number that the copy is about to have.
  let claimedLineage: Int?
  /// True if bytes of erased values or of replaced events might remain in the copy's files.
  let hasRemnants: Bool

  /// The number of the remote log's revision.
  var revision: Int { kept ?? 0 }

  /// The number through which the copy has all erasures, possibly without the remote log's compactions.
  var erasedThrough: Int { max(done, noted ?? 0) }

  /// The condition of an erasure in the copy: no other replica has erased more since this end was read.
  var erasureDemand: CheckpointDemand { CheckpointDemand(names.erased, at: Position(noted ?? 0)) }

  /// Creates the end of an empty copy.
  init(revision: Int, lineage: Int?, _ unfinished: UnfinishedCopy?, _ names: ReplicaNames) {
    self.names = names
    head = 0
    last = nil
    compacted = 0
    self.unfinished = unfinished
    kept = revision
    done = revision
    noted = nil
    hasRemnants = false
    self.lineage = lineage
    claimedLineage = lineage
  }

  /// Reads the end of a copy.
  init(of local: any EventStore) throws {
    while true {
      if let found = try Self(ofUnsealed: local) {
        self = found
        return
      }
    }
  }

  /// Reads the end of a copy, or returns `nil` if another replica replaced the copy during the call.
  private init?(ofUnsealed local: any EventStore) throws {
    let (head, own, last) = try local.read { log in
      let head = try log.head()
      let last = head == 0 ? nil : try log.eventsBackwards(.all, after: 0, through: nil, limit: 1).first
      return (head, try log.revision(), last)
    }
    let names = ReplicaNames(own)
    // Read these checkpoints after the copy's own revision, because they are set before that revision increases.
    func number(_ name: String) throws -> Int? { try local.checkpoints?.checkpoint(named: name)?.rawValue }
    (kept, done, noted) = (try number(names.claimed), try number(names.done) ?? 0, try number(names.erased))
    hasRemnants = try number(names.left) ?? 0 > 0
    lineage = done == 0 ? 0 : try number(names.lineage(done))
    claimedLineage = try number(names.lineage(kept ?? 0))
    let base = try number(names.base) ?? 0
    compacted = try number(names.compacted) ?? 0
    unfinished = try UnfinishedCopy(of: local)
    let mayBeCompacted = try number(names.allowed) ?? 0
    if try number(names.claimed) == ReplicaNames.sealed { return nil }
    guard own.compacted.count <= mayBeCompacted, own.erasures <= max(0, (kept ?? 0) - base),
      last?.position ?? 0 == head || own.compacted.horizon == head
    else {
      throw EventStoreError(
        .rewritten,
        "this copy was compacted, or values were erased from this copy, independently of the remote log, so the copy "
          + "and the remote log no longer match. Call reclone() of the Replica, which replaces this copy, and erase "
          + "and compact only in the remote log")
    }
    self.head = head
    self.last = last
    self.names = names
  }

  /// Returns the condition of an append to the copy: the copy must still have the history at which the events were
  /// read.
  func demand(_ revision: Int) -> CheckpointDemand { CheckpointDemand(names.claimed, at: Position(revision)) }

  /// Stores the history of an empty copy.
  ///
  /// If another replica has filled the copy in the meantime, the method throws before it records erasures as repeated.
  func keep(_ revision: Int, lineage: Int, in local: any EventStore) throws {
    if self.revision == revision, done == revision, self.lineage == lineage { return }
    let checkpoints = try Self.checkpoints(of: local)
    guard
      try checkpoints.setCheckpoint(named: names.claimed, to: Position(revision), from: kept.map { Position($0) })
    else { throw ReplicaOvertaken() }
    guard try local.head() == 0 else { throw ReplicaOvertaken() }
    // Earlier compactions are done as soon as the copy is past their horizon.
    try Self.set(names.compacted, to: nil, checkpoints)
    if noted != nil { try Self.set(names.erased, to: 0, checkpoints) }
    try Self.set(names.base, to: revision, checkpoints)
    try finish(revision, lineage: lineage, hasRemnants: hasRemnants, in: local)
  }

  /// Records the number of the remote log's revision that the copy is about to have.
  func claim(_ revision: Int, lineage: Int, in local: any EventStore) throws {
    if revision == kept { return }
    let checkpoints = try Self.checkpoints(of: local)
    try Self.set(names.lineage(revision), to: lineage, checkpoints)
    guard
      try checkpoints.setCheckpoint(named: names.claimed, to: Position(revision), from: kept.map { Position($0) })
    else { throw ReplicaOvertaken() }
  }

  /// Records that all erasures through a number are repeated in the copy.
  ///
  /// - Throws: ``ReplicaOvertaken`` if another replica has erased more in the meantime, or `EventStoreError`.
  func note(erasedThrough number: Int, hasRemnants: Bool, in local: any EventStore) throws {
    try keep(hasRemnants: hasRemnants, number, in: local)
    let isNoted = try Self.checkpoints(of: local).setCheckpoint(
      named: names.erased, to: Position(number), from: noted.map { Position($0) })
    if !isNoted { throw ReplicaOvertaken() }
  }

  /// Records the number of the remote log's compactions that are repeated in the copy.
  func finish(compactions: Int, in local: any EventStore) throws {
    try Self.set(names.compacted, to: compactions, try Self.checkpoints(of: local))
  }

  /// Records that all changes through a number are repeated in the copy.
  func finish(_ revision: Int, lineage: Int, hasRemnants: Bool, in local: any EventStore) throws {
    let checkpoints = try Self.checkpoints(of: local)
    let before = try checkpoints.checkpoint(named: names.done)?.rawValue
    try keep(hasRemnants: hasRemnants, revision, in: local)
    // If the process exits before the next step, the old number still has its lineage.
    try Self.set(names.lineage(revision), to: lineage, checkpoints)
    try Self.set(names.done, to: revision, checkpoints)
    if let before, before != revision { try checkpoints.deleteCheckpoint(named: names.lineage(before)) }
  }

  /// Records whether bytes of erased values might remain.
  func keep(hasRemnants: Bool, _ revision: Int, in local: any EventStore) throws {
    try Self.set(names.left, to: hasRemnants ? max(1, revision) : nil, try Self.checkpoints(of: local))
  }

  /// Throws if the copy no longer has the history of the events that were just appended.
  ///
  /// This check is needed because a custom store might ignore the conditions of an append. After the error, erasures
  /// since the read are repeated.
  func check(_ revision: Int, in local: any EventStore) throws {
    guard let checkpoints = local.checkpoints else { return }
    let claimed = try checkpoints.checkpoint(named: names.claimed)?.rawValue ?? 0
    if claimed == revision { return }
    for name in [names.done, names.erased] {
      if try checkpoints.checkpoint(named: name)?.rawValue ?? 0 > revision {
        try Self.set(name, to: revision, checkpoints)
      }
    }
    throw ReplicaOvertaken()
  }

  /// Stores a number in the checkpoint with a name, or deletes the checkpoint if the number is `nil`.
  ///
  /// - Throws: ``ReplicaOvertaken`` if the checkpoint is sealed, because another replica has replaced the copy.
  static func set(_ name: String, to number: Int?, _ checkpoints: any CheckpointStore) throws {
    guard let number else { return try checkpoints.deleteCheckpoint(named: name) }
    while true {
      let old = try checkpoints.checkpoint(named: name)
      if old?.rawValue == number { return }
      if old?.rawValue == ReplicaNames.sealed { throw ReplicaOvertaken() }
      if try checkpoints.setCheckpoint(named: name, to: Position(number), from: old) { return }
    }
  }

  /// Returns the store for the checkpoints next to a copy.
  static func checkpoints(of local: any EventStore) throws -> any CheckpointStore {
    guard let checkpoints = local.checkpoints else {
      throw EventStoreError.unsupported(
        "checkpoints", by: type(of: local),
        instead: "clone a remote log that has neither erasures nor compactions")
    }
    return checkpoints
  }
}

extension ReplicaNotes {
  /// Returns true if a store's copy hasn't reached a compaction's horizon yet.
  ///
  /// The current state of such a copy never existed in the remote log.
  package static func areUnfinished(in local: any EventStore) throws -> Bool {
    try UnfinishedCopy(of: local)?.isPending(in: local) ?? false
  }
}

/// An error that stops a change of the copy, because another writer has appended to the copy or erased data from it in
/// the meantime.
struct ReplicaOvertaken: Error {}

/// An error for a remote log whose history differs from the copy's history.
struct ReplicaRewritten: Error {
  /// The remote log's revision.
  let revision: LogRevision
}
