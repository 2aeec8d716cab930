import Annals

extension ReplayError {
  /// An event of the record domain that cannot be read, or that no list can hold.
  static func invalidRecord(at position: Position, _ problem: any Error) -> ReplayError {
    ReplayError(.unreadable, "event \(position) of the log isn't a valid record event: \(problem)")
  }
}
