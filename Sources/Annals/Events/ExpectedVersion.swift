/// The version of a stream that a writer expects at the time of an append.
///
///     let version = store.version(of: Letter.stream("1"))
///     try store.execute(.write(draft), on: Letter.self, id: "1", expecting: .exact(version))
public enum ExpectedVersion: Hashable, Sendable, CustomStringConvertible {
  /// Any version, so that the append never conflicts because of this stream.
  case any
  /// Exactly this many events, or 0 for a stream that doesn't exist.
  case exact(Int)
  /// At least one event.
  case exists
  /// No events.
  case doesNotExist

  /// Returns whether the given version of a stream meets the expectation.
  ///
  /// - Parameter version: The stream's version, which is the number of events ever appended to it.
  /// - Returns: True if the version meets the expectation.
  public func isMet(by version: Int) -> Bool {
    switch self {
    case .any: true
    case .exact(let expected): version == expected
    case .exists: version > 0
    case .doesNotExist: version == 0
    }
  }

  /// The expectation in words.
  public var description: String {
    switch self {
    case .any: "any version"
    case .exact(let version): "version \(version)"
    case .exists: "an existing stream"
    case .doesNotExist: "no such stream"
    }
  }
}
