import AnnalsLog

/// The names of the checkpoints in which replicas record the state of a copy.
///
/// `Replica.reclone` replaces all events of a copy, and increases `rebases` of the copy's revision. The names contain
/// this number. So a replica that has read the state of the old copy can't change the state of the new copy.
struct ReplicaNames: Hashable, Sendable {
  /// The value of ``claimed`` and ``erased`` after the copy was replaced, which no condition of a replica allows.
  ///
  /// Every condition of an append, of an erasure or of a compaction refers to one of these checkpoints. So a replica
  /// that has read the state of the old copy can't change the events of the new copy.
  static let sealed = 1 << 50

  /// `LogRevision.rebases` of the copy's revision.
  let rebases: Int

  init(_ revision: LogRevision) { rebases = revision.rebases }

  init(rebases: Int) { self.rebases = rebases }

  /// Returns true if a checkpoint of a replica remains after the copy is replaced another time.
  static func outlives(_ checkpoint: Checkpoint) -> Bool {
    guard ReplicaNotes.contain(checkpoint.name) else { return false }
    return checkpoint.position.rawValue == sealed
      || [commonNote, replacedNote].contains { checkpoint.name.hasPrefix($0) }
  }

  private static let commonNote = "annals:replica:common"
  private static let replacedNote = "annals:replica:replaced"

  private func name(_ note: String) -> String { rebases == 0 ? note : "\(note):@\(rebases)" }

  /// The name of the checkpoint with the number of the remote log's revision that the copy has or is about to have.
  var claimed: String { name("annals:replica") }
  /// The name of the checkpoint with the number through which all erasures are repeated in the copy.
  ///
  /// If the copy is complete, all compactions through this number are repeated, too.
  var done: String { name("annals:replica:done") }
  /// The name of the checkpoint with the number through which all erasures are repeated in the copy, even if
  /// compactions are still missing.
  var erased: String { name("annals:replica:erased") }
  /// The name of the checkpoint with the number of the remote log's revision when the copy was empty.
  var base: String { name("annals:replica:base") }
  /// The name of a checkpoint that isn't 0 if bytes of erased values or of replaced events might remain in the copy's
  /// files.
  var left: String { name("annals:replica:left") }
  /// The name of the checkpoint with the number of the remote log's compactions that were repeated in the copy.
  var compacted: String { name("annals:replica:compacted") }
  /// The name of the checkpoint with the allowed number of the copy's own compactions.
  ///
  /// If the copy has more compactions, another program has compacted it.
  var allowed: String { name("annals:replica:compactions") }
  /// The name of the checkpoint with the last position up to which the replaced copy equalled the remote log.
  var common: String { name(Self.commonNote) }
  /// The name of the checkpoint with `rebases` of the replaced copy.
  var replaced: String { name(Self.replacedNote) }
  /// Returns the name of the checkpoint that stores when the remote log made the change with a number.
  func lineage(_ number: Int) -> String { name("annals:replica:lineage/\(number)") }
  /// Returns the name of the checkpoint with the visible part of an unfinished copy.
  ///
  /// The name contains the number of the compaction that completes the copy, so the checkpoint isn't used after this
  /// compaction.
  func shown(_ compactions: Int) -> String { name("annals:replica:shown/\(compactions)") }
}
