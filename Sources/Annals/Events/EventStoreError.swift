/// Why a store could not do what it was asked; nothing of the request was done.
///
/// Switch over the code and leave the rest to `default`, because later versions may add codes:
///
/// ```swift
/// switch error.code {
/// case .busy: tryLater()
/// case .versionConflict: print("\(error.message)")
/// default: throw error
/// }
/// ```
///
/// The properties that tell of a code, such as ``stream``, are nil for the other codes.
public struct EventStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, where, what to do.
  public internal(set) var message: String

  /// The stream that is not at the expected version: ``Code/versionConflict``.
  public internal(set) var stream: StreamName?
  /// What the writer expected of the stream: ``Code/versionConflict``.
  public internal(set) var expected: ExpectedVersion?
  /// The version that the stream has: ``Code/versionConflict``.
  public internal(set) var version: Int?
  /// The position that the writer had read up to: ``Code/conditionConflict``.
  public internal(set) var after: Position?
  /// The position of the first event in the way (``Code/conditionConflict``), of the event that has the identity
  /// (``Code/duplicateEvent``), up to which the history was compacted (``Code/compacted``), or up to which a replica is
  /// the same as the log that it followed (``Code/replaced``).
  public internal(set) var position: Position?
  /// The identity that the log has already: ``Code/duplicateEvent``.
  public internal(set) var event: EventID?
  /// How often the command was tried: ``Code/tooManyConflicts``.
  public internal(set) var attempts: Int?
  /// The format that the file is written in: ``Code/newerFormat``.
  public internal(set) var format: Int?
  /// What the store does not offer: ``Code/unsupported``.
  public internal(set) var capability: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened, as a sentence that stands alone.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// True if trying the whole command again may succeed.
  public var isConflict: Bool { code == .versionConflict || code == .conditionConflict }
}
