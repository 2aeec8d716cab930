import Annals
import AnnalsLog
import AnnalsRemote

extension ServerLog {
  /// Erases the values of a subject, in one step of the server.
  func erase(_ subject: String) throws -> ErasureReceipt {
    forgetAhead()
    return try waiting { try await $0.erase(subject: subject) }
  }

  /// Throws what an erasure would throw of a store that erases nothing.
  func checkErases() throws {
    if !erases { _ = try erase("") }
  }

  /// How many values of a subject the events have; all of them are read.
  func valueCount(of subject: String, _ progress: Progress) throws -> Int {
    defer { progress.end() }
    var count = 0
    try read { log in
      let end = try log.head().rawValue
      try log.forEachEvent { event in
        progress.step(event.position.rawValue, of: end, "events")
        guard let payload = event.payload, PersonalPayload.mayHaveFields(payload) else { return }
        count += try PersonalPayload.erased(payload, of: subject).count
      }
    }
    return count
  }
}
