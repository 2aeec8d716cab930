import AnnalsLog

/// The latest lists of some rows, for controllers whose requests are equal.
///
/// The controllers own the lists. A controller that suspends its delivery, shows a past position or changes its request
/// doesn't look here, or looks for another request, so it needs no other step to leave the sharing.
struct SharedLists {
  private struct Entry {
    weak var list: ListStorage?
    let position: Position
    let revision: LogRevision?
  }

  /// The lists by their prepared requests.
  ///
  /// An address may belong to another request after its list was deallocated.
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The number of entries at which entries without a list are removed.
  private var limit = 8

  /// Adds a list, or replaces the earlier list of its request.
  mutating func add(_ list: ListStorage, at position: Position, _ revision: LogRevision?) {
    if entries.count >= limit {
      entries = entries.filter { $0.value.list != nil }
      limit = max(8, entries.count * 2)
    }
    entries[ObjectIdentifier(list.prepared)] = Entry(list: list, position: position, revision: revision)
  }

  /// Returns the list of a request at a position and a revision of the log, or `nil`.
  func current(of request: PreparedRequest, at position: Position, _ revision: LogRevision?) -> ListStorage? {
    guard let entry = entries[ObjectIdentifier(request)], entry.position == position, entry.revision == revision else {
      return nil
    }
    return usable(entry, of: request)
  }

  /// Returns the latest list of a request, or `nil`.
  func last(of request: PreparedRequest) -> ListStorage? {
    entries[ObjectIdentifier(request)].flatMap { usable($0, of: request) }
  }

  private func usable(_ entry: Entry, of request: PreparedRequest) -> ListStorage? {
    guard let list = entry.list, list.prepared === request, !list.isLost else { return nil }
    return list
  }

  /// Removes all lists, because their rows are built anew.
  mutating func removeAll() { entries = [:] }
}
