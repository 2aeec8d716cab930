/// A reference to one state of a stored draft, with which a store detects concurrent changes to the draft.
///
/// A stored draft is a `Branch` whose commands are kept in a store. The reference consists of the draft's name, its
/// identifier, and its edition, which is the number of changes to the draft.
public struct DraftVersion: Hashable, Sendable {
  /// The draft's name.
  public let name: String
  /// The draft's identifier.
  ///
  /// A later draft with the same name has a different identifier.
  public let id: String
  /// The number of changes that were made to the draft, or 0 for a draft that isn't stored yet.
  public let edition: Int

  /// Creates a reference to a draft's state.
  ///
  /// - Parameters:
  ///   - name: The draft's name.
  ///   - id: The draft's identifier.
  ///   - edition: The number of changes that were made to the draft, at least 0.
  public init(name: String, id: String, edition: Int) {
    self.name = name
    self.id = id
    self.edition = edition
  }
}
