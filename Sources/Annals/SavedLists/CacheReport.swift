/// What became of the list that a controller saves under its cache name.
public struct CacheReport: Hashable, Sendable {
  /// The position of the saved list that the controller began with; nil if it began with the events.
  public internal(set) var restored: Position?
  /// Why the controller did not begin with a saved list; nil if it did, and before the first fetch.
  public internal(set) var miss: String?
  /// The position of the list that was saved last, by this controller or before it; nil if there is none.
  public internal(set) var saved: Position?
  /// Why the list could not be saved, or what was wrong with a saved page; nil if nothing was.
  public internal(set) var problem: String?
  /// How many pages of the saved list were read.
  public internal(set) var pagesRead = 0
}
