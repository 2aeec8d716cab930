/// The version of a kept draft that a caller knows.
public struct DraftPlace: Hashable, Sendable {
  /// The draft's name.
  public let name: String
  /// The draft's identifier, which a later draft of the same name doesn't have.
  public let id: String
  /// The number of changes that were made to the draft, or 0 for a draft that isn't stored yet.
  public let edition: Int

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - name: The draft's name.
  ///   - id: The draft's identifier.
  ///   - edition: The number of changes that were made to the draft, 0 or more.
  public init(name: String, id: String, edition: Int) { (self.name, self.id, self.edition) = (name, id, edition) }
}
