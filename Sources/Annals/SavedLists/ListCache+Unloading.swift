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

  /// The number of page budgets that a list's rows may take in memory until a save writes many changes at once.
  private static var budgetsAtRest: Int { 4 }

  /// Returns true if a list that was restored from saved pages has read few of these pages.
  func mayRest(_ origin: TreePages?) -> Bool {
    guard let origin else { return false }
    let (most, isTooMuch) = store.environment.pageBudget.multipliedReportingOverflow(by: Self.budgetsAtRest)
    return isTooMuch || origin.readCount < most
  }

  /// Returns the last saved list in the form in which it would be read after a launch, without rows in memory.
  ///
  /// The result is `nil` if another list was saved since, if a list is being saved, or if the saved list can't be read.
  /// The cache's state doesn't change until ``take(_:)`` is called with the result.
  ///
  /// - Parameters:
  ///   - request: The shown request.
  ///   - prepared: The same request, prepared.
  ///   - positions: The positions at which a saved list can be used.
  /// - Returns: The list, or `nil`.
  func reopened(
    _ request: ListRequest<Row>, _ prepared: PreparedRequest, in positions: ClosedRange<Position>
  ) -> Last? {
    guard let last = state.withLock({ $0.saving == 0 ? $0.last : nil }), last.pages.whatIsWrong == nil,
      positions.contains(last.state.position), let fingerprint = try? fingerprint(request),
      last.fingerprint == fingerprint, let revision = try? store.revision(),
      let saved = try? lists.list(named: name, fingerprint: fingerprint)
    else { return nil }
    guard last.isSame(as: saved), var found = try? read(saved, at: revision, fingerprint, prepared) else { return nil }
    found.samples.resume(last.samples)
    return found
  }
}
