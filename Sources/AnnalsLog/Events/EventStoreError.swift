public import Foundation

/// An error that a store throws for a failed request.
///
/// An append that throws has added no events, with one exception: if the process or the disk fails during the commit
/// itself, you can't know whether the append was committed (`Docs/Durability.md`).
///
/// Switch over the error's ``code``. Add a `default` case, because later versions may add codes:
///
/// ```swift
/// switch error.code {
/// case .busy: tryLater()
/// case .versionConflict: print("\(error.message)")
/// default: throw error
/// }
/// ```
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
///
/// Some properties, such as ``stream``, have a value only for the error code that their documentation names. For all
/// other codes, they are `nil`.
public struct EventStoreError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// A message that explains what was expected, what was found and where, and how to fix the problem.
  public package(set) var message: String

  /// The stream that doesn't have the expected version, for ``Code/versionConflict``.
  public package(set) var stream: StreamName?
  /// The version that the writer expected, for ``Code/versionConflict``.
  public package(set) var expected: ExpectedVersion?
  /// The stream's actual version, for ``Code/versionConflict``.
  public package(set) var version: Int?
  /// The last position that the writer had read, for ``Code/conditionConflict``.
  public package(set) var after: Position?
  /// A position with a meaning that depends on the error's code.
  ///
  /// - ``Code/conditionConflict``: the position of the first event that violates the condition, or if the log was
  ///   compacted beyond the condition's position, the position up to which the log was compacted
  /// - ``Code/duplicateEvent``: the position of the event that already has the new event's identity
  /// - ``Code/compacted``: the position up to which the log was compacted
  /// - ``Code/commandReused``: the log's last position when the first call with the command's id was committed
  /// - ``Code/replaced``: the last position up to which a replica's copy equals the remote log
  public package(set) var position: Position?
  /// The identity that an event in the log already has, for ``Code/duplicateEvent``.
  public package(set) var event: EventID?
  /// The number of times that the store executed the command, for ``Code/tooManyConflicts``.
  public package(set) var attempts: Int?
  /// The number of the log's format, for ``Code/newerFormat`` and ``Code/olderFormat``.
  public package(set) var format: Int?
  /// The feature that the store doesn't support, for ``Code/unsupported``.
  public package(set) var capability: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The error's message, which describes the failure in a complete sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// True if you can reread the log and retry the whole command, which might then succeed.
  ///
  /// The codes of such errors are ``Code/versionConflict`` and ``Code/conditionConflict``.
  public var isConflict: Bool { code == .versionConflict || code == .conditionConflict }

  /// True if the same call can succeed later without any change, for example because the server was restarting.
  ///
  /// Retry the call after a pause, with the same command id, so that a command is executed only once. An HTTP service
  /// returns the status 503 with a `Retry-After` header. The codes of such errors are ``Code/busy``,
  /// ``Code/tooManyConflicts``, ``Code/followerBusy``, and `unreachable` and `unknownOutcome` of remote stores.
  public var isTransient: Bool {
    switch code.rawValue {
    case "busy", "tooManyConflicts", "followerBusy", "unreachable", "unknownOutcome": true
    default: false
    }
  }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
