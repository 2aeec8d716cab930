package import AnnalsLog
import Foundation

/// A remote store that commits several appends with one message and one disk sync, so that an import, or the commands
/// on one stream, don't wait for the network at every append.
package protocol RemoteGroupingStore: RemoteEventStore {
  /// Commits appends in order, as separate transactions of the log.
  ///
  /// If an append is refused, it doesn't change the log. Without `isChain`, the appends after it are still committed.
  ///
  /// In a chain, every append was decided on the events of the previous append, so the store also refuses an append if
  /// this call didn't commit the previous append. The expected versions alone aren't sufficient: if another writer
  /// added as many events to the stream as the previous append contains, the stream has the expected version.
  ///
  /// - Parameters:
  ///   - appends: The appends. In a chain, every append expects exact versions of its streams.
  ///   - isChain: True if an append is refused unless this call has committed the previous append.
  /// - Returns: The result of every append. If an append is invalid for every log, its error can be the last result,
  ///   and the appends after it aren't committed. In a chain, the error of a version conflict can be an
  ///   ``EventsConflict``.
  func commitGroup(_ appends: [Append], isChain: Bool) async -> [Result<Receipt, any Error>]
}

/// A version conflict, with the events that caused it.
///
/// With these events, a command is re-decided without another read.
package struct EventsConflict: LocalizedError, CustomStringConvertible {
  package let conflict: EventStoreError
  /// Decodes all events of the stream after the expected version.
  package let events: @Sendable () throws -> [StoredEvent]

  package init(_ conflict: EventStoreError, _ events: @escaping @Sendable () throws -> [StoredEvent]) {
    self.conflict = conflict
    self.events = events
  }

  package var description: String { conflict.description }
  package var errorDescription: String? { description }
}

extension RemoteGroupingStore {
  /// Commits appends like ``commitGroup(_:isChain:)``, and wakes the store's subscriptions.
  package func appendGroup(_ appends: [Append], isChain: Bool = false) async -> [Result<Receipt, any Error>] {
    let results = await commitGroup(appends, isChain: isChain)
    let count = results.reduce(0) { count, result in
      guard case .success(let receipt) = result, !receipt.isRepeated else { return count }
      return count + receipt.count
    }
    if count > 0 {
      commands.announce()
      environment.note(.appendedEvents, .count(count))
    }
    return results
  }
}
