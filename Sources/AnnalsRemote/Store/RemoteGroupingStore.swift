package import AnnalsLog

/// A remote store that commits several appends with one message and one disk sync, so that an import doesn't wait for
/// the network at every append.
package protocol RemoteGroupingStore: RemoteEventStore {
  /// Commits appends in order, as separate transactions of the log.
  ///
  /// If an append is refused, it doesn't change the log, and the appends after it are still committed. So every append
  /// must be valid without the previous appends.
  ///
  /// - Parameter appends: The appends.
  /// - Returns: The result of every append.
  func commitGroup(_ appends: [Append]) async -> [Result<Receipt, any Error>]
}
