/// How far a copy is: its last event, and which history of the remote log it has.
///
/// What was copied, erased and compacted is kept in checkpoints beside the copy. A number is claimed before something
/// is erased or compacted here, and an append names the number of what it read: so an event that was read before an
/// erasure cannot come after it, whichever replica fills the copy.
struct ReplicaEnd: Sendable {
  /// The number of the remote log's revision that the copy has, or is about to have.
  private static let claimed = "annals:replica"
  /// The number up to which everything is erased here too, and compacted unless the copy is incomplete.
  private static let done = "annals:replica:done"
  /// The number up to which everything is erased here, also where something is still to be compacted.
  private static let erased = "annals:replica:erased"
  /// The number when the copy was empty.
  private static let base = "annals:replica:base"
  /// When the last of the erasures that are done here was done there, under the name with its number.
  private static func lineage(_ number: Int) -> String { "annals:replica:lineage/\(number)" }
  /// Not 0 if bytes of what was erased may be left in the copy's files.
  private static let left = "annals:replica:left"
  /// How many of the remote log's compactions were done here too.
  private static let compacted = "annals:replica:compacted"

  /// The position that the copy has reached.
  let head: Position
  /// The last event, nil if there is none; it is before the head if those after it were cut.
  let last: StoredEvent?
  /// How many of the remote log's compactions were done here too.
  let compacted: Int
  /// What is shown of a copy that lacks a compaction; nil if all of it is.
  let unfinished: UnfinishedCopy?
  /// The number of the remote log's revision; nil if nothing was kept.
  let kept: Int?
  /// Up to which erasure of the remote log everything is done here.
  let done: Int
  /// The number up to which everything is erased here; nil if nothing was kept of that.
  ///
  /// What was compacted after an erasure may say something of its subject again, so that an erasure that is done here
  /// is not done once more.
  private let noted: Int?
  /// What tells the history up to `done` from another one with as many erasures; nil if it is not known.
  let lineage: Int?
  /// The same for the number that the copy is about to have.
  let claimedLineage: Int?
  /// True if bytes of what was erased may be left in the copy's files.
  let hasRemnants: Bool

  /// The number of the remote log's revision.
  var revision: Int { kept ?? 0 }

  /// Up to which number everything is erased here, perhaps without the compactions that were done there.
  var erasedThrough: Int { max(done, noted ?? 0) }

  /// What an erasure here demands: that no other replica has erased more since this was read.
  var erasureDemand: CheckpointDemand { CheckpointDemand(Self.erased, at: Position(noted ?? 0)) }

  /// The end of an empty copy.
  init(revision: Int, lineage: Int?, _ unfinished: UnfinishedCopy?) {
    (head, last, compacted, self.unfinished) = (0, nil, 0, unfinished)
    (kept, done, noted, hasRemnants) = (revision, revision, nil, false)
    (self.lineage, claimedLineage) = (lineage, lineage)
  }

  /// Reads the end of a copy.
  init(of local: any EventStore) throws {
    let (head, own, last) = try local.read { log in
      let head = try log.head()
      let last = head == 0 ? nil : try log.eventsBackwards(.all, after: 0, through: nil, limit: 1).first
      return (head, try log.revision(), last)
    }
    // They are read after the copy's own number, because they are set before it grows.
    func number(_ name: String) throws -> Int? { try local.checkpoints?.checkpoint(named: name)?.rawValue }
    (kept, done, noted) = (try number(Self.claimed), try number(Self.done) ?? 0, try number(Self.erased))
    hasRemnants = try number(Self.left) ?? 0 > 0
    lineage = done == 0 ? 0 : try number(Self.lineage(done))
    claimedLineage = try number(Self.lineage(kept ?? 0))
    let base = try number(Self.base) ?? 0
    compacted = try number(Self.compacted) ?? 0
    unfinished = try UnfinishedCopy(of: local)
    let mayBeCompacted = try UnfinishedCopy.compactions(of: local)
    guard own.compacted.count <= mayBeCompacted, own.rebases == 0, own.erasures <= max(0, (kept ?? 0) - base),
      last?.position ?? 0 == head || own.compacted.horizon == head
    else {
      throw EventStoreError(
        .rewritten,
        "something was erased from this copy that was not erased from the remote log, or it was compacted, so that it "
          + "is no copy any more; clone the log again into an empty store, and erase and compact where the log is")
    }
    (self.head, self.last) = (head, last)
  }

  /// What an append to the copy demands: that it still has the history that was read.
  static func demand(_ revision: Int) -> CheckpointDemand { CheckpointDemand(claimed, at: Position(revision)) }

  /// Keeps which history an empty copy is of.
  ///
  /// If another replica has filled it meanwhile, nothing counts as erased here yet.
  func keep(_ revision: Int, lineage: Int, in local: any EventStore) throws {
    if self.revision == revision, done == revision, self.lineage == lineage { return }
    let checkpoints = try Self.checkpoints(of: local)
    guard
      try checkpoints.setCheckpoint(named: Self.claimed, to: Position(revision), from: kept.map { Position($0) })
    else { throw ReplicaOvertaken() }
    guard try local.head() == 0 else { throw ReplicaOvertaken() }
    // What was compacted before is done as soon as the copy is past it.
    try Self.set(Self.compacted, to: nil, checkpoints)
    try Self.set(Self.erased, to: nil, checkpoints)
    try Self.set(Self.base, to: revision, checkpoints)
    try Self.finish(revision, lineage: lineage, hasRemnants: false, in: local)
  }

  /// Says that the copy is about to have the history with a number.
  func claim(_ revision: Int, lineage: Int, in local: any EventStore) throws {
    if revision == kept { return }
    let checkpoints = try Self.checkpoints(of: local)
    try Self.set(Self.lineage(revision), to: lineage, checkpoints)
    guard
      try checkpoints.setCheckpoint(named: Self.claimed, to: Position(revision), from: kept.map { Position($0) })
    else { throw ReplicaOvertaken() }
  }

  /// Notes that everything is erased here up to a number.
  ///
  /// - Throws: ``ReplicaOvertaken`` if another replica has erased more meanwhile; ``EventStoreError``.
  func note(erasedThrough number: Int, hasRemnants: Bool, in local: any EventStore) throws {
    try Self.keep(hasRemnants: hasRemnants, number, in: local)
    let isNoted = try Self.checkpoints(of: local).setCheckpoint(
      named: Self.erased, to: Position(number), from: noted.map { Position($0) })
    if !isNoted { throw ReplicaOvertaken() }
  }

  /// Notes that the remote log's first compactions are done here too.
  static func finish(compactions: Int, in local: any EventStore) throws {
    try set(compacted, to: compactions, try checkpoints(of: local))
  }

  /// Notes that everything is erased here up to a number.
  static func finish(_ revision: Int, lineage: Int, hasRemnants: Bool, in local: any EventStore) throws {
    let checkpoints = try checkpoints(of: local)
    let before = try checkpoints.checkpoint(named: done)?.rawValue
    try set(left, to: hasRemnants ? revision : nil, checkpoints)
    // If the process ends in between, the number before has its own still.
    try set(Self.lineage(revision), to: lineage, checkpoints)
    try set(done, to: revision, checkpoints)
    if let before, before != revision { try checkpoints.deleteCheckpoint(named: Self.lineage(before)) }
  }

  /// Notes whether bytes of what was erased may be left.
  static func keep(hasRemnants: Bool, _ revision: Int, in local: any EventStore) throws {
    try set(left, to: hasRemnants ? revision : nil, try checkpoints(of: local))
  }

  /// Throws if the copy is not of the history any more whose events were appended just now.
  ///
  /// A store of someone else's does not look at what an append demands: what was erased meanwhile is erased again then.
  static func check(_ revision: Int, in local: any EventStore) throws {
    guard let checkpoints = local.checkpoints else { return }
    if try checkpoints.checkpoint(named: claimed)?.rawValue ?? 0 == revision { return }
    for name in [done, erased] {
      if try checkpoints.checkpoint(named: name)?.rawValue ?? 0 > revision { try set(name, to: revision, checkpoints) }
    }
    throw ReplicaOvertaken()
  }

  /// Keeps a number under a name, or none.
  static func set(_ name: String, to number: Int?, _ checkpoints: any CheckpointStore) throws {
    guard let number else { return try checkpoints.deleteCheckpoint(named: name) }
    while true {
      let old = try checkpoints.checkpoint(named: name)
      if old?.rawValue == number { return }
      if try checkpoints.setCheckpoint(named: name, to: Position(number), from: old) { return }
    }
  }

  /// What keeps the notes beside a copy.
  static func checkpoints(of local: any EventStore) throws -> any CheckpointStore {
    guard let checkpoints = local.checkpoints else {
      throw EventStoreError.unsupported(
        "checkpoints", by: type(of: local),
        instead: "clone a log from which nothing was erased, and which was not compacted")
    }
    return checkpoints
  }
}

/// What replicas keep among the checkpoints of a copy.
package enum ReplicaNotes {
  /// True if a checkpoint is one of them, and so no position of a follower.
  package static func contain(_ name: String) -> Bool {
    name == "annals:replica" || name.hasPrefix("annals:replica:")
  }

  /// True if a store has a copy that is not past a compaction's horizon yet: it has states that never were.
  package static func areUnfinished(in local: any EventStore) throws -> Bool {
    try UnfinishedCopy(of: local)?.isPending(in: local) ?? false
  }
}

/// Another writer appended to the copy meanwhile, or erased something from it.
struct ReplicaOvertaken: Error {}

/// The remote log has another history than the copy.
struct ReplicaRewritten: Error {
  /// The remote log's revision.
  let revision: LogRevision
}
