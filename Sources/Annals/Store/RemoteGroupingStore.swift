/// Commits several appends with one message and one sync, so that an import does not wait for the network at each.
package protocol RemoteGroupingStore: RemoteEventStore {
  /// Commits appends in their order, each as a transaction of the log.
  ///
  /// One that is refused leaves nothing, and those after it are committed: each must be right without it.
  ///
  /// - Parameter appends: The appends.
  /// - Returns: What became of each.
  func commitGroup(_ appends: [Append]) async -> [Result<Receipt, any Error>]
}
