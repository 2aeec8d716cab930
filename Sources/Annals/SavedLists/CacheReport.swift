/// The state of the list that a controller saves under its cache name.
public struct CacheReport: Hashable, Sendable {
  /// The position of the saved list with which the controller started, or `nil` if the controller built the list from
  /// all events.
  public internal(set) var restored: Position?
  /// The reason why the controller didn't start with a saved list.
  ///
  /// It is `nil` if the controller started with a saved list, or hasn't fetched yet.
  public internal(set) var miss: String?
  /// The position of the last saved list, or `nil` if no list was saved.
  ///
  /// An earlier controller may have saved the list.
  public internal(set) var saved: Position?
  /// The reason why the list couldn't be saved or a saved page couldn't be read, or `nil` if there was no problem.
  public internal(set) var problem: String?
  /// The number of pages read from the saved list.
  public internal(set) var pagesRead = 0
}
