import Synchronization

/// A filter that selects event types by name.
///
/// The filter is a closure instead of a list of names, because your code might not know the names of all types in the
/// log. When a log reads events with a filter, it skips the events of all other types. The log can use an index by type
/// to find the selected events.
///
///     let cards = EventTypeFilter { $0.hasPrefix("Card") }
///     let batch = try log.batch(of: cards, after: 0, through: log.head(), limit: 512)
public final class EventTypeFilter: Sendable {
  private let isWanted: @Sendable (String) -> Bool
  /// The results of the closure, which are cached because the closure may be slow, and logs call the filter repeatedly.
  private let known = Mutex<[ExactString: Bool]>([:])

  /// Creates a filter.
  ///
  /// - Parameter isWanted: A closure that receives a type's stored name, and returns whether to include the type. The
  ///   closure must always return the same result for the same name. The results are cached, so the closure is usually
  ///   called only once for every name. The call can be made on any thread.
  public init(_ isWanted: @escaping @Sendable (String) -> Bool) { self.isWanted = isWanted }

  /// Returns whether the filter includes a type.
  ///
  /// - Parameter type: The type's name, as it is stored.
  /// - Returns: True if the filter includes the type's events.
  public func contains(_ type: String) -> Bool {
    let name = ExactString(type)
    if let answer = known.withLock({ $0[name] }) { return answer }
    // Call the closure without holding the lock, because the closure is the caller's code.
    let answer = isWanted(type)
    known.withLock { $0[name] = answer }
    return answer
  }
}
