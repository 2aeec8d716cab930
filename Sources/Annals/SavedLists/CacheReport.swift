/// The state of the list that a controller saves under its cache name.
public struct CacheReport: Hashable, Sendable {
  /// The position of the saved list that the controller started with, or `nil` if it started with the events.
  public internal(set) var restored: Position?
  /// The reason why the controller didn't start with a saved list, or `nil` if it did or before the first fetch.
  public internal(set) var miss: String?
  /// The position of the last saved list, including earlier controllers' lists, or `nil` without a saved list.
  public internal(set) var saved: Position?
  /// The reason why the list couldn't be saved, or the defect of a saved page, or `nil`.
  public internal(set) var problem: String?
  /// The number of pages read from the saved list.
  public internal(set) var pagesRead = 0
}
