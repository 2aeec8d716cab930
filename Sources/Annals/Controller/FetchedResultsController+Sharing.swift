extension FetchedResultsController {
  /// Goes on with the rows that another controller of the group has folded, or lets others go on with its own.
  ///
  /// Rows are shared by controllers of one store, one isolation and one projection. At most one saves its lists.
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

  /// Lets others go on with the controller's own rows, unless they have some already.
  func offerRows() {
    guard let projectionKey, group.rows(of: projectionKey, Row.self) == nil else { return }
    timeline.shared.saver = listCache
    group.offer(timeline.shared, of: projectionKey)
  }
}
