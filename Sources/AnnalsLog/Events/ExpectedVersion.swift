/// A writer's requirement for a stream's version at the time of an append.
///
/// If the stream doesn't meet the requirement, the append throws ``EventStoreError`` (`.versionConflict`).
///
///     let version = store.version(of: Letter.stream("1"))
///     try store.execute(.write(draft), on: Letter["1", expecting: .exact(version)])
public enum ExpectedVersion: Hashable, Sendable, CustomStringConvertible {
  /// Accepts any version, so the append never conflicts because of this stream.
  case any
  /// Requires exactly this version, where 0 means that the stream doesn't exist.
  case exact(Int)
  /// Requires that the stream exists, with at least one event.
  case exists
  /// Requires that the stream doesn't exist.
  case doesNotExist

  /// Returns whether a stream's version meets the requirement.
  ///
  /// - Parameter version: The stream's version, which is the number of events ever appended to it.
  /// - Returns: True if the version meets the requirement.
  public func isMet(by version: Int) -> Bool {
    switch self {
    case .any: true
    case .exact(let expected): version == expected
    case .exists: version > 0
    case .doesNotExist: version == 0
    }
  }

  /// The requirement in words, for error messages.
  public var description: String {
    switch self {
    case .any: "any version"
    case .exact(let version): "version \(version)"
    case .exists: "an existing stream (version 1 or later)"
    case .doesNotExist: "no such stream (version 0)"
    }
  }
}
