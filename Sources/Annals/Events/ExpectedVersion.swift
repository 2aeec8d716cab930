/// What a writer expects of a stream at the moment of an append.
///
///     let version = store.version(of: Letter.stream("1"))
///     try store.execute(.write(draft), on: Letter.self, id: "1", expecting: .exact(version))
public enum ExpectedVersion: Hashable, Sendable, CustomStringConvertible {
  /// Anything: the append never conflicts over this stream.
  case any
  /// The stream has exactly this many events; 0 is a stream that does not exist.
  case exact(Int)
  /// The stream has at least one event.
  case exists
  /// The stream has no event.
  case doesNotExist

  /// Tells whether a stream of the given version meets the expectation.
  ///
  /// - Parameter version: The stream's number of events.
  /// - Returns: True if an append may go on.
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
