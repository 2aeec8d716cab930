import Synchronization

/// A saved list doesn't stay in memory. Its pages are reread on demand.
extension ListCache {
  /// True if the shown list has more data in memory than needed.
  var isHeavy: Bool { state.withLock { $0.isHeavy } }

  /// True while a list is being saved or waits to be saved.
  var isSaving: Bool { state.withLock { $0.saving > 0 } }

  /// Records that the list has more data in memory than needed, and calls `onHeavy`.
  func noteHeavy() {
    state.withLock { $0.isHeavy = true }
    onHeavy()
  }

  /// Returns true if a list has more rows than fit on the pages that may be in memory.
  func isLong(_ list: ListState) -> Bool {
    let (rows, isTooMuch) = store.environment.pageBudget.multipliedReportingOverflow(by: ByID.leafCapacity)
    return !isTooMuch && list.list.ids.count > rows
  }

  /// Returns the last saved list in the form in which it would be read after a launch, without rows in memory.
  ///
  /// The result is `nil` if another list was saved since, if a list is being saved, or if the saved list can't be read.
  /// The cache's state doesn't change until ``take(_:)`` is called with the result.
  ///
  /// - Parameters:
  ///   - request: The shown request.
  ///   - prepared: The same request, prepared.
  /// - Returns: The list, or `nil`.
  func reopened(_ request: ListRequest<Row>, _ prepared: PreparedRequest) -> Last? {
    guard let last = state.withLock({ $0.saving == 0 ? $0.last : nil }), last.pages.whatIsWrong == nil,
      let fingerprint = try? fingerprint(request), last.fingerprint == fingerprint,
      let saved = try? lists.list(named: name, fingerprint: fingerprint)
    else { return nil }
    return last.isSame(as: saved) ? try? read(saved, fingerprint, prepared) : nil
  }
}
