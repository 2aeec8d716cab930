/// An error for a request that a list can't support.
public struct ListRequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for an error.
  ///
  /// Later versions of the library can add more reasons.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The reason's name.
    public let rawValue: String

    /// Creates a reason that isn't declared below.
    ///
    /// - Parameter rawValue: The reason's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The reason's name.
    public var description: String { rawValue }

    /// A part of the request has no name, but a saved list is identified by the names of its request's parts.
    public static let unnamedPart = Code(rawValue: "unnamedPart")
    /// The projection has no ``Projection/identity``.
    ///
    /// A saved list needs the identity to distinguish the projection from other projections of the same type.
    public static let unidentifiedProjection = Code(rawValue: "unidentifiedProjection")
  }

  /// The reason for the error.
  public let code: Code
  /// The message, with the expected request, the actual request and a suggestion.
  public let message: String

  /// The message.
  public var description: String { message }
}

extension ListRequest {
  /// Returns the names of everything that the list depends on.
  ///
  /// Limit and offset are excluded, because they only select a part of the list.
  ///
  /// - Parameter cacheName: The name for saving the list.
  /// - Returns: The names.
  /// - Throws: ``ListRequestError`` if a part has no name.
  func fingerprint(forCache cacheName: String) throws -> String {
    func unnamed(_ part: String, _ advice: String) -> ListRequestError {
      ListRequestError(
        code: .unnamedPart,
        message:
          "a list with the cache name \"\(cacheName)\" requires names for the parts of its request: expected a name "
          + "for \(part), found none; \(advice)")
    }
    var parts: [String] = []
    if let filter {
      guard let name = filter.name else { throw unnamed("the filter", "write filter: .where(\"a name\") { … }") }
      parts.append("filter " + name)
    }
    for (index, key) in sort.enumerated() {
      guard let name = key.name else {
        throw unnamed("the sort key at index \(index)", "add .named(\"a name\") to it")
      }
      parts.append("sort " + name)
      if !key.orderVersion.isEmpty { parts.append("order " + key.orderVersion) }
    }
    // The id is the last sort key of every list.
    if !Row.ID.orderVersion.isEmpty { parts.append("id " + Row.ID.orderVersion) }
    if let section {
      guard let name = section.rules.criterion.name else {
        throw unnamed("the sections", "group them with .by(\"a name\") { … }")
      }
      parts.append("section \(name) \(section.rules.order)")
      if !section.rules.orderVersion.isEmpty { parts.append("order " + section.rules.orderVersion) }
      parts += section.rules.pinned.map { "static \($0.key.bytes)" }
    }
    return parts.map { JSONValue.quoted($0) }.joined(separator: " ")
  }
}
