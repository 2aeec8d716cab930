import AnnalsLog

/// The last position that a writer committed.
///
/// After all events of the log are replaced, positions repeat. So a position alone doesn't show whether the writer
/// committed it.
struct OwnEnd {
  private var position = 0 as Position
  /// `LogRevision.rebases` of the log with the position.
  private var rebases = 0

  mutating func move(to position: Position, at rebases: Int) {
    self.position = rebases == self.rebases ? max(position, self.position) : position
    self.rebases = rebases
  }

  /// Returns true if the writer committed the last event of a log.
  func isEnd(_ head: Position, _ revision: LogRevision) -> Bool {
    head <= (revision.rebases == rebases ? position : 0)
  }
}
