/// Why a request cannot be what is asked of it.
public struct FetchRequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// A part of the request has no name, and a list that is saved is known by the names of its request's parts.
    public static let unnamedPart = Code(rawValue: "unnamedPart")
    /// The projection cannot be distinguished from others of its type, and a list that is saved is known by it:
    /// ``Projection/identity``.
    public static let unidentifiedProjection = Code(rawValue: "unidentifiedProjection")
  }

  /// What is wrong with the request.
  public let code: Code
  /// What was expected, what was found, and what to do.
  public let message: String

  /// The message.
  public var description: String { message }
}

extension FetchRequest {
  /// The names of all that the list depends on, but for limit and offset, which only cut it.
  ///
  /// - Parameter cacheName: The name that the list is to be saved under.
  /// - Returns: The names.
  /// - Throws: ``FetchRequestError``.
  func fingerprint(forCache cacheName: String) throws -> String {
    func unnamed(_ part: String, _ advice: String) -> FetchRequestError {
      FetchRequestError(
        code: .unnamedPart,
        message:
          "a list with the cache name \"\(cacheName)\" is saved by what its request is called: expected a name for "
          + "\(part), found none; \(advice)")
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
    // The id is the last sort key of each list.
    if !Row.ID.orderVersion.isEmpty { parts.append("id " + Row.ID.orderVersion) }
    if let section {
      guard let name = section.rules.criterion.name else {
        throw unnamed("the sections", "cut them with .by(\"a name\") { … }")
      }
      parts.append("section \(name) \(section.rules.order)")
      if !section.rules.orderVersion.isEmpty { parts.append("order " + section.rules.orderVersion) }
      parts += section.rules.pinned.map { "static \($0.key.bytes)" }
    }
    return parts.map { JSONValue.quoted($0) }.joined(separator: " ")
  }
}
