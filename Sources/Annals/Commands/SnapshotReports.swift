import AnnalsLog
import Synchronization

extension EventStore {
  /// Returns a report on the states that this store object saved and loaded for a decider.
  ///
  /// - Parameter decider: The decider type.
  /// - Returns: A report on the decider's states since this store object was created. The report is empty until the
  ///   store object loads a state, can't read a saved state, or tries to save a state.
  public func cacheReport<D: SnapshotDecider>(of decider: D.Type) -> CacheReport {
    SnapshotReports.report(of: decider, in: self)
  }
}

/// The reports of all stores of the process.
enum SnapshotReports {
  private struct Entry {
    weak var owner: (any StateOwner)?
    var byDecider: [ObjectIdentifier: CacheReport] = [:]
  }

  /// The entries by the owner of the states.
  ///
  /// When an owner's entry is created, the entries of deallocated owners are removed.
  private static let all = Mutex<[ObjectIdentifier: Entry]>([:])

  static func report(of decider: any Any.Type, in owner: any StateOwner) -> CacheReport {
    all.withLock { all in
      guard let entry = all[ObjectIdentifier(owner)], entry.owner === owner else { return CacheReport() }
      return entry.byDecider[ObjectIdentifier(decider)] ?? CacheReport()
    }
  }

  static func change(
    of decider: any Any.Type, in owner: any StateOwner, _ body: @Sendable (inout CacheReport) -> Void
  ) {
    all.withLock { all in
      let key = ObjectIdentifier(owner)
      if all[key]?.owner !== owner {
        all = all.filter { $0.value.owner != nil }
        all[key] = Entry(owner: owner)
      }
      body(&all[key, default: Entry(owner: owner)].byDecider[ObjectIdentifier(decider), default: CacheReport()])
    }
  }
}
