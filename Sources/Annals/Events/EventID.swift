/// What tells one event from every other: an identifier that is unique within its source.
///
/// The pair is CloudEvents' `source` and `id` (CloudEvents 1.0, "REQUIRED attributes"). An event that was made in a log
/// has the log's own source; an imported one keeps the source that it came with.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
  /// Where the event came into being, a URI reference.
  public let source: String

  /// The identifier within the source.
  public let id: String

  /// Creates an event's identity.
  ///
  /// - Parameters:
  ///   - source: Where the event came into being.
  ///   - id: The identifier within the source.
  public init(source: String, id: String) {
    self.source = source
    self.id = id
  }

  /// Tells whether two identities have the same scalars.
  public static func == (left: EventID, right: EventID) -> Bool {
    ExactString(left.source) == ExactString(right.source) && ExactString(left.id) == ExactString(right.id)
  }

  /// Hashes both parts' scalars.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(source))
    hasher.combine(ExactString(id))
  }

  /// Both parts, as a person reads them.
  public var description: String { "\(id) of \(source)" }
}
