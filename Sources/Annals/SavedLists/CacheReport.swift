/// A report on how a list was loaded and saved under its cache name.
///
/// A ``FetchedResultsController`` with a cache name provides this report, and so does an ``InlineList``. The saved list
/// is loaded at a controller's first fetch, or when the inline list is created.
public struct CacheReport: Hashable, Sendable {
  /// The position of the saved list that was loaded, or `nil` if the list was built from all events.
  public internal(set) var restored: Position?
  /// The reason why no saved list was loaded.
  ///
  /// It is `nil` if a saved list was loaded, or if the controller hasn't fetched yet.
  public internal(set) var miss: String?
  /// The position of the list that was saved last, or `nil` if no list was saved.
  ///
  /// Until this controller or inline list has saved a list, it is the position of the loaded list.
  public internal(set) var saved: Position?
  /// The reason why the list couldn't be saved or a saved page couldn't be read, or `nil` if there was no problem.
  public internal(set) var problem: String?
  /// The number of pages that were read from the saved list.
  ///
  /// A saved list consists of pages, which are read only when their content is needed.
  public internal(set) var pagesRead = 0
}
