import Synchronization

/// A list that was saved does not stay in memory: it is read again from where it was saved, page by page.
extension ListCache {
  /// True if the list that is shown has more in memory than it needs.
  var isHeavy: Bool { state.withLock { $0.isHeavy } }

  /// True while a list is being saved, or waits for it.
  var isSaving: Bool { state.withLock { $0.saving > 0 } }

  /// Notes that the list has more in memory than it needs, and says so.
  func noteHeavy() {
    state.withLock { $0.isHeavy = true }
    onHeavy()
  }

  /// True if a list has more rows than are on the pages that may be in memory.
  func isLong(_ list: ListState) -> Bool {
    let (rows, isTooMuch) = store.environment.pageBudget.multipliedReportingOverflow(by: ByID.leafCapacity)
    return !isTooMuch && list.list.ids.count > rows
  }

  /// The list that was saved last, as if the program began with it; nil if another one was saved meanwhile, if one is
  /// being saved, or if it cannot be read.
  ///
  /// Nothing is changed before ``take(_:)``.
  ///
  /// - Parameters:
  ///   - request: The request that is shown.
  ///   - prepared: The same request.
  /// - Returns: The list.
  func reopened(_ request: FetchRequest<Row>, _ prepared: PreparedRequest) -> Last? {
    guard let last = state.withLock({ $0.saving == 0 ? $0.last : nil }), last.pages.whatIsWrong == nil,
      let fingerprint = try? fingerprint(request), last.fingerprint == fingerprint,
      let saved = try? lists.list(named: name, fingerprint: fingerprint),
      saved.cache == last.cache, saved.generation == last.generation, saved.position == last.state.position
    else { return nil }
    return try? read(saved, fingerprint, prepared)
  }
}
