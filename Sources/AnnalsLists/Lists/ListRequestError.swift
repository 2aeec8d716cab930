import AnnalsLog
public import Foundation

/// An error for a list that can't be saved, because its request or its projection can't be identified.
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
public struct ListRequestError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The reason for an error.
  ///
  /// Later versions of the library can add more reasons.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The reason's name.
    public let rawValue: String

    /// Creates a reason from its name.
    ///
    /// For the known reasons, use this type's constants.
    ///
    /// - Parameter rawValue: The reason's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The reason's name.
    public var description: String { rawValue }

    /// The request's filter, its sectioning or one of its sort keys has no name.
    ///
    /// A saved list needs these names to detect that its request has changed, because closures can't be compared.
    public static let unnamedPart = Code(rawValue: "unnamedPart")
    /// The projection has no ``Projection/identity``.
    ///
    /// A saved list needs the identity to distinguish its projection from other projections of the same type.
    public static let unidentifiedProjection = Code(rawValue: "unidentifiedProjection")
  }

  /// The reason for the error.
  public let code: Code
  /// The message, which contains the requirement, the actual request or projection, and a way to fix the error.
  public let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}

extension ListRequest {
  /// Returns the names of everything that the list depends on.
  ///
  /// Limit and offset are excluded, because they only select a part of the list.
  ///
  /// - Parameter cacheName: The name for saving the list.
  /// - Returns: The names.
  /// - Throws: ``ListRequestError`` if a part has no name.
  package func fingerprint(forCache cacheName: String) throws -> String {
    func unnamed(_ part: String, _ advice: String) -> ListRequestError {
      ListRequestError(
        code: .unnamedPart,
        message:
          "the list with the cache name \"\(cacheName)\" can't be saved, because \(part) in the list's request must "
          + "have a name, but has none; \(advice)")
    }
    var parts: [String] = []
    if let filter {
      guard let name = filter.name else { throw unnamed("the filter", "write filter: .where(\"a name\") { … }") }
      parts.append("filter " + name)
    }
    for (index, key) in sort.enumerated() {
      guard let name = key.name else {
        throw unnamed("the sort key at index \(index)", "add .named(\"a name\") to the sort key")
      }
      parts.append("sort " + name)
      if !key.orderVersion.isEmpty { parts.append("order " + key.orderVersion) }
    }
    // The id is the last sort key of every list.
    if !Row.ID.orderVersion.isEmpty { parts.append("id " + Row.ID.orderVersion) }
    if let section {
      guard let name = section.rules.criterion.name else {
        throw unnamed("the grouping into sections", "group the rows with .by(\"a name\") { … }")
      }
      parts.append("section \(name) \(section.rules.order)")
      if !section.rules.orderVersion.isEmpty { parts.append("order " + section.rules.orderVersion) }
      parts += section.rules.pinned.map { "static \($0.key.bytes)" }
    }
    return parts.map { JSONValue.quoted($0) }.joined(separator: " ")
  }
}
