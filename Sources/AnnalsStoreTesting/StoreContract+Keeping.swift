import Annals
import AnnalsLog
import AnnalsTesting

extension StoreContract {
  /// Rules for the data that a store keeps in addition to the events.
  ///
  /// If a store lacks a capability, or doesn't promise to keep the capability's data, the capability's rule also passes
  /// if the data is missing.
  static let keeping: [RestartRule] = [
    RestartRule("a completed command is not repeated after the store is reopened") { restarts in
      let log = try restarts.log()
      guard log.promises.contains(.receipts) else { return }
      let command = Append(
        [.init(stream: "s", event: Trial.event())], expectations: ["t": .doesNotExist], commandID: "c1")
      let first = try log.store.append(command)
      try log.store.append(Append([Trial.event()], to: "t"))
      for _ in 0..<2 {
        try log.reopen()
        try ensureEqual(try log.store.receipt(ofCommand: "c1"), first)
        try ensureEqual(try log.store.append(command), first)
        try ensureEqual(try log.store.head(), 2)
      }
    },
    RestartRule("a checkpoint keeps its position when the store is reopened") { restarts in
      let log = try restarts.log()
      guard let checkpoints = log.store.checkpoints else { return }
      try ensureEqual(try checkpoints.setCheckpoint(named: "k1", to: 3, from: nil), true)
      try ensureEqual(try checkpoints.setCheckpoint(named: "k1", to: 7, from: 3), true)
      try ensureEqual(try checkpoints.setCheckpoint(named: "k2", to: 1, from: nil), true)
      try checkpoints.deleteCheckpoint(named: "k2")
      try log.reopen()
      let found = try log.store.checkpoints?.checkpoint(named: "k1")
      if found != nil || log.promises.contains(.checkpoints) { try ensureEqual(found, 7) }
      try ensureEqual(try log.store.checkpoints?.checkpoint(named: "k2"), nil)
    },
    RestartRule("a saved state is unchanged when the store is reopened") { restarts in
      let log = try restarts.log()
      guard let snapshots = log.store.snapshots else { return }
      func state(_ version: Int) -> DeciderSnapshot {
        DeciderSnapshot(fingerprint: "f", version: version, position: Position(version), state: "[\(version)]")
      }
      try log.store.append(Append((0..<3).map { _ in Trial.event() }, to: "s"))
      for version in 1...2 { try snapshots.save(state(version), of: "s", decider: "d", revision: .original) }
      try log.reopen()
      let found = try log.store.snapshots?.snapshot(of: "s", decider: "d")
      if found != nil || log.promises.contains(.snapshots) { try ensureEqual(found, state(2)) }
      try ensureEqual(try log.store.snapshots?.snapshot(of: "s", decider: "other"), nil)
    },
    RestartRule("a draft keeps its commands and their order when the store is reopened") { restarts in
      let log = try restarts.log()
      guard let drafts = log.store.drafts else { return }
      func place(_ edition: Int, _ name: String = "d") -> DraftVersion {
        DraftVersion(name: name, id: "i", edition: edition)
      }
      func command(_ number: Int) -> KeptDraft.Command {
        .init(number: number, content: .text("\(number) é"), subjects: number == 2 ? ["ann"] : [])
      }
      let now = log.store.environment.now()
      for number in 1...3 {
        try ensureEqual(try drafts.add(command(number), to: place(number - 1), at: now), true)
        try ensureEqual(try drafts.add(command(number), to: place(0, "other \(number)"), at: now), true)
      }
      try ensureEqual(try drafts.arrange([3, 2], of: place(3), at: now), true)
      try ensureEqual(try drafts.delete(place(1, "other 1")), true)
      for _ in 0..<2 {
        try log.reopen()
        let found = try log.store.drafts?.draft(named: "d")
        guard found != nil || log.promises.contains(.drafts) else { return }
        try ensureEqual(found, KeptDraft(version: place(4), lastNumber: 3, commands: [command(3), command(2)]))
        try ensureEqual(try log.store.drafts?.drafts().map(\.name), ["d", "other 2", "other 3"])
      }
    },
    RestartRule("a saved list matches the events when the store is reopened") { restarts in
      let log = try restarts.log()
      guard log.store.savedLists != nil else { return }
      func fetched(_ cacheName: String?) throws -> (rows: [Pair], restored: Position?) {
        let list = FetchedResultsController(store: log.store, projection: Pairs(), cacheName: cacheName)
        try list.performFetch()
        if cacheName != nil { try list.saveCache() }
        return (Array(list.results.rows), list.cacheReport.restored)
      }
      for round in 1...3 {
        try log.store.keep((1...40).map { .set(id: $0 % 7, to: round * $0) })
        _ = try fetched("pairs")
        try log.store.keep([.set(id: round, to: -1)])
        try log.reopen()
        let (saved, plain) = (try fetched("pairs"), try fetched(nil))
        try ensureEqual(saved.rows, plain.rows)
        if log.promises.contains(.savedLists) {
          try ensureEqual(saved.restored, Position(round * 41 - 1))
        }
      }
    },
    RestartRule("erased data stays erased when the store is reopened") { restarts in
      let log = try restarts.log()
      guard log.store.erasing != nil else { return }
      let payloads = [#"{"$personal":"ann","value":"x"}"#, #"{"$personal":"bob","value":"y"}"#]
      try log.store.append(Append(payloads.map { NewEvent(type: "T", payload: $0) }, to: "s"))
      try log.store.erase(subject: "ann")
      try log.ensureKeepsAll()
      try ensureEqual(try log.store.revision().erasures, 1)
      try ensureEqual(try log.store.everything().map(\.payload), [#"{"$personal":"ann"}"#, payloads[1]])
    },
  ]

  /// Rules for places that can run another process.
  ///
  /// All other places pass.
  static let elsewhere: [RestartRule] = [
    RestartRule("two processes read each other's acknowledged events") { restarts in
      let log = try restarts.log()
      for append in richAppends {
        try log.store.append(append)
        let here = LogPicture(lines: try LogPicture(of: log.store).lines)
        guard let there = try log.elsewhere("look") else { return }
        try here.ensureSame(there, "in another process")
      }
      let head = try log.store.head()
      let version = try log.store.version(of: "s")
      guard let there = try log.elsewhere("append") else { return }
      try LogPicture(lines: try LogPicture(of: log.store).lines).ensureSame(
        there, "in the other process, after the other process appended an event")
      try ensureEqual(try log.store.head(), Position(head.rawValue + 1))
      try ensureEqual(try log.store.version(of: "s"), version + 1)
      if log.promises.contains(.receipts) {
        try ensureEqual(try log.store.receipt(ofCommand: "c3")?.position, Position(head.rawValue + 1))
      }
      try log.store.append(Append([Trial.event()], to: "s", expecting: .exact(version + 1)))
      try log.ensureKeepsAll()
    }
  ]
}
