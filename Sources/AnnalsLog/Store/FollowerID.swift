/// The identity of a follower: its name and the version of its code.
public struct FollowerID: Hashable, Sendable {
  /// The follower's name.
  public let name: String
  /// The version of the follower's code.
  public let version: Int

  /// Creates a follower's identity.
  ///
  /// - Parameters:
  ///   - name: The follower's name.
  ///   - version: The version of the follower's code.
  public init(_ name: String, version: Int = 1) {
    self.name = name
    self.version = version
  }
}
