/// What tells one event from every other: an identifier that is unique within its source.
///
/// The pair is CloudEvents' `source` and `id` (CloudEvents 1.0, "REQUIRED attributes"). An event that was made in a log
/// has the log's own source; an imported one keeps the source that it came with. Two identities are equal only if the
/// Unicode scalars of both parts are.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
  private let exactSource: ExactString
  private let exactID: ExactString

  /// Where the event came into being, a URI reference.
  public var source: String { exactSource.text }

  /// The identifier within the source.
  public var id: String { exactID.text }

  /// Creates an event's identity.
  ///
  /// - Parameters:
  ///   - source: Where the event came into being.
  ///   - id: The identifier within the source.
  public init(source: String, id: String) {
    (exactSource, exactID) = (ExactString(source), ExactString(id))
  }

  /// Both parts, as a person reads them.
  public var description: String { "\(id) of \(source)" }
}
