extension FetchedResultsController {
  /// Uses the rows of another controller in the group, or offers the controller's own rows to the other controllers.
  ///
  /// Controllers of one store, one isolation and one projection share rows. At most one of these controllers saves
  /// its lists.
  func shareRows() {
    guard let projectionKey else { return }
    if let others = group.rows(of: projectionKey, Row.self) {
      if others === timeline.shared { return }
      if let listCache {
        if others.saver != nil { return }
        others.saver = listCache
      }
      timeline.share(others)
    } else {
      offerRows()
    }
  }

  /// Offers the controller's rows to other controllers, unless the group already has such rows.
  func offerRows() {
    guard let projectionKey, group.rows(of: projectionKey, Row.self) == nil else { return }
    timeline.shared.saver = listCache
    group.offer(timeline.shared, of: projectionKey)
  }
}
