import Synchronization

extension EventStore {
  /// Returns a report on the states that this store object saved and loaded for a decider.
  ///
  /// - Parameter decider: The decider type.
  /// - Returns: The report since the store was created. The report is empty if the store hasn't tried to save a state
  ///   yet.
  public func cacheReport<D: SnapshotDecider>(of decider: D.Type) -> CacheReport {
    SnapshotReports.report(of: decider, in: self)
  }
}

/// The reports of all stores of the process.
enum SnapshotReports {
  private struct Entry {
    weak var store: (any EventStore)?
    var byDecider: [ObjectIdentifier: CacheReport] = [:]
  }

  /// The entries by store.
  ///
  /// When a store's entry is created, the entries of deallocated stores are removed.
  private static let all = Mutex<[ObjectIdentifier: Entry]>([:])

  static func report(of decider: any Any.Type, in store: any EventStore) -> CacheReport {
    all.withLock { all in
      guard let entry = all[ObjectIdentifier(store)], entry.store === store else { return CacheReport() }
      return entry.byDecider[ObjectIdentifier(decider)] ?? CacheReport()
    }
  }

  static func change(
    of decider: any Any.Type, in store: any EventStore, _ body: @Sendable (inout CacheReport) -> Void
  ) {
    all.withLock { all in
      let key = ObjectIdentifier(store)
      if all[key]?.store !== store {
        all = all.filter { $0.value.store != nil }
        all[key] = Entry(store: store)
      }
      body(&all[key, default: Entry(store: store)].byDecider[ObjectIdentifier(decider), default: CacheReport()])
    }
  }
}
