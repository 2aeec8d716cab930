import Annals
import AnnalsRemote

extension ServiceLog {
  /// Returns the reasons why the log takes no commands, or why its copy isn't current.
  func problems() async -> [String] {
    do { try await check() } catch { return ["the log takes no appends: \(error)"] }
    guard case .remote(let replica) = self else { return [] }
    let status = replica.status
    if case .stopped(let error) = status.activity { return ["the copy of the log has stopped: \(error)"] }
    guard let progress = status.progress, let contact = status.lastContact else {
      return ["the copy of the log isn't loaded yet"]
    }
    // The replica asks the server at least once a second. So a shorter silence, such as a lost connection, is normal.
    let silence = contact.duration(to: .now)
    if silence >= .seconds(4) { return ["the copy of the log has had no response for \(silence)"] }
    // Under load, a copy is always a little behind.
    let behind = progress.end.rawValue - progress.position.rawValue
    return behind > 1_000 ? ["the copy of the log is \(behind) events behind"] : []
  }

  /// Checks that the log takes appends, without adding an event.
  private func check() async throws {
    switch self {
    case .local(let store): try await store.append(Append())
    case .remote(let replica): _ = try await replica.remote.health()
    }
  }
}
