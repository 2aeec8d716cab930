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
  /// The position of the last known saved list or state, or `nil` if no saved list or state is known.
  ///
  /// This is the position of the list or state that was saved last. If the controller or inline list has loaded a list,
  /// but hasn't saved one yet, it is the position of the loaded list.
  public package(set) var saved: Position?
  /// The latest problem with saving or reading a list or state, or `nil` if there was no problem.
  ///
  /// The problem is the reason why a list or state couldn't be saved, or why a saved state couldn't be read. It can
  /// also be the reason why a part of a saved list couldn't be read. After a later save has succeeded, the property is
  /// `nil`.
  ///
  /// When a problem occurs, no data is lost, but the next launch replays more events and takes longer.
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
