/// A report on how a list or a decider's states were saved and loaded.
///
/// A controller with a cache name provides this report, and so does an inline list. The saved list is loaded at a
/// controller's first fetch, or when the inline list is created. For the states of a decider, call
/// `EventStore.cacheReport(of:)`.
public struct CacheReport: Hashable, Sendable {
  /// The position of the saved list or state that was loaded last, or `nil` if none was loaded.
  ///
  /// If the value is `nil`, the list or state was built from all events.
  public package(set) var restored: Position?
  /// The reason why no saved list was loaded.
  ///
  /// It is `nil` if a saved list was loaded, if the controller hasn't fetched yet, and in a report on a decider's
  /// states.
  public package(set) var miss: String?
  /// The position of the list or state that was saved last, or `nil` if none was saved.
  ///
  /// Until the controller or inline list saves a list for the first time, this is the position of the loaded list.
  public package(set) var saved: Position?
  /// The latest reason why a list or state couldn't be saved, or why a saved state or a part of a saved list couldn't
  /// be read.
  ///
  /// It is `nil` if a later save succeeded, or if there was no problem.
  ///
  /// A problem doesn't lose any data, but the next launch replays more events and takes longer.
  public package(set) var problem: String?
  /// The number of times that a saved list or state was loaded.
  ///
  /// After every load, only newer events were applied to the list or state.
  public package(set) var loadCount = 0
  /// The number of times that a list or state was saved.
  public package(set) var saveCount = 0
  /// The number of pages that were read from the saved list.
  ///
  /// A saved list consists of pages, which are read only when their content is needed.
  public package(set) var pagesRead = 0

  package init() {}
}
