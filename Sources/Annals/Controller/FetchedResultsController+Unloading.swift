extension FetchedResultsController {
  /// Reloads the saved list, without rows in memory, if the current list has more rows in memory than needed.
  ///
  /// The shown list remains equal, so the delegate and the observers of changes aren't notified. Observers of
  /// ``results`` are notified, because an older list that they hold would keep its rows in memory.
  func unloadRows() {
    guard let listCache = source.listCache, listCache.isHeavy, !listCache.isSaving, canUnload else { return }
    if let last = source.reopened(for: presentation) {
      let before = presentation.shown
      guard let (list, former) = source.reload(last, for: presentation) else { return }
      show(list)
      audience.replace(before, by: list)
      group.endLater((former, before))
    } else if let pause = source.saveForRelease(presentation) {
      // The list is ahead of the saved list. If it changes again during the save, this retries.
      group.hopToOwner(after: pause) { $0.unloadRows() }
    }
  }

  /// True if no other work is in progress, and only this list uses the rows in memory.
  private var canUnload: Bool {
    phase == .showing(isStopped: false) && !audience.isSuspended && presentation.isSettled
      && source.mayRelease(presentation.shown)
  }
}
