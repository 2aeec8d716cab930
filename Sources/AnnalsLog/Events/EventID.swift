/// A unique identity of an event, which consists of a source and an identifier that is unique within this source.
///
/// The source and the identifier are the attributes `source` and `id` that CloudEvents 1.0 defines in the section
/// "REQUIRED Attributes". An event that was created in a log has the log's ``EventStore/source``. An imported event
/// keeps its original source. Two identities are equal only if both their sources and their identifiers have the same
/// Unicode scalars.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
  private let exactSource: ExactString
  private let exactID: ExactString

  /// The origin of the event, as a URI reference.
  public var source: String { exactSource.text }

  /// The event's identifier, which is unique within the source.
  public var id: String { exactID.text }

  /// Creates an event's identity.
  ///
  /// - Parameters:
  ///   - source: The origin of the event, as a URI reference.
  ///   - id: The event's identifier, which is unique within the source.
  public init(source: String, id: String) {
    exactSource = ExactString(source)
    exactID = ExactString(id)
  }

  /// The identifier and the source, joined by the word "of".
  public var description: String { "\(id) of \(source)" }
}
