import Annals
import AnnalsRemote

extension ServerLog {
  /// How many events were cut from the log; nil if the store does not say it.
  func cutCount() throws -> Int? {
    try waiting { remote in
      guard let compacting = remote.compacting else { return nil }
      var (count, position) = (0, 0 as Position)
      while true {
        let page = try await compacting.formerEvents(since: 0, after: position, limit: 8_192)
        count += page.count { $0.isCut }
        guard page.count == 8_192, let last = page.last else { return count }
        position = last.position
      }
    }
  }
}
