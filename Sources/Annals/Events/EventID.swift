/// A unique identity of an event: an identifier that is unique within its source.
///
/// The pair is CloudEvents' `source` and `id` (CloudEvents 1.0, "REQUIRED attributes"). An event that was created in a
/// log has the log's own source. An imported event keeps its original source. Two identities are equal only if the
/// Unicode scalars of both parts are equal.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
  private let exactSource: ExactString
  private let exactID: ExactString

  /// The origin of the event, as a URI reference.
  public var source: String { exactSource.text }

  /// The identifier within the source.
  public var id: String { exactID.text }

  /// Creates an event's identity.
  ///
  /// - Parameters:
  ///   - source: The origin of the event, as a URI reference.
  ///   - id: The identifier within the source.
  public init(source: String, id: String) {
    (exactSource, exactID) = (ExactString(source), ExactString(id))
  }

  /// Both parts in readable form.
  public var description: String { "\(id) of \(source)" }
}
