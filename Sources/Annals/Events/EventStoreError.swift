/// An error for a request that a store didn't carry out, not even partly.
///
/// Switch over the code and handle all other codes in `default`, because later versions may add codes:
///
/// ```swift
/// switch error.code {
/// case .busy: tryLater()
/// case .versionConflict: print("\(error.message)")
/// default: throw error
/// }
/// ```
///
/// Some properties, such as ``stream``, have a value only for particular codes, and are `nil` for all other codes.
public struct EventStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// A message that contains the expected value, the actual value, their place, and how to fix the problem.
  public internal(set) var message: String

  /// The stream that doesn't have the expected version, for ``Code/versionConflict``.
  public internal(set) var stream: StreamName?
  /// The version that the writer expected, for ``Code/versionConflict``.
  public internal(set) var expected: ExpectedVersion?
  /// The version of the stream, for ``Code/versionConflict``.
  public internal(set) var version: Int?
  /// The last position that the writer had read, for ``Code/conditionConflict``.
  public internal(set) var after: Position?
  /// The position that the error refers to, depending on its code.
  ///
  /// - ``Code/conditionConflict``: the position of the first event that violates the condition
  /// - ``Code/duplicateEvent``: the position of the event that has the identity
  /// - ``Code/compacted``: the position up to which the history was compacted
  /// - ``Code/replaced``: the position up to which a replica's copy equals the log that it copied
  public internal(set) var position: Position?
  /// The identity that the log already has, for ``Code/duplicateEvent``.
  public internal(set) var event: EventID?
  /// The number of attempts of the command, for ``Code/tooManyConflicts``.
  public internal(set) var attempts: Int?
  /// The format of the file, for ``Code/newerFormat``.
  public internal(set) var format: Int?
  /// The feature that the store doesn't support, for ``Code/unsupported``.
  public internal(set) var capability: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: A description of the failure, as a complete sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// True if retrying the whole command may succeed.
  public var isConflict: Bool { code == .versionConflict || code == .conditionConflict }
}
