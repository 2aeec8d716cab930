import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsSQLite

extension EventStore {
  /// Commits appends one after the other, up to the first one that is refused, in a store that has no groups.
  ///
  /// A condition of the first append holds for all of them.
  func commitOneByOne(_ appends: [Append]) throws -> GroupReceipt {
    var receipts: [Receipt] = []
    for append in appends {
      var append = append
      if let end = receipts.last?.position {
        append.conditions = appends[0].conditions.map { .init(noneMatching: $0.noneMatching, after: end) }
      }
      do {
        receipts.append(try self.append(append))
      } catch let error as EventStoreError {
        return GroupReceipt(receipts: receipts, refusal: error)
      }
    }
    return GroupReceipt(receipts: receipts, refusal: nil)
  }
}

extension EventStoreError {
  /// True if a server was lost while it committed, so that it is not known whether it did.
  var isUnknown: Bool { code == .unknownOutcome }
}
