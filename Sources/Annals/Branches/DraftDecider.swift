/// A decider whose commands a kept draft can write and read again.
///
/// It is known by its `category`, so that a type may be renamed if its category stays.
///
///     let draft = try store.branch(keptAs: "form-17", deciders: .of(Hall.self), .of(Shelf.self))
public struct DraftDecider: Sendable {
  let category: String
  /// Writes a command as JSON; nil if it is none of the decider's.
  let write: @Sendable (_ command: Any, PayloadCoder) throws -> String?
  /// Reads a command on a stream, or within its boundary.
  let read: @Sendable (_ text: String, DraftText.Call, PayloadCoder) throws -> KeptCommand

  /// A decider on streams.
  ///
  /// - Parameter decider: The decider; its commands are kept as their `Codable` writes them.
  /// - Returns: The decider, for a draft that is kept.
  public static func of<D: Decider>(_ decider: D.Type) -> DraftDecider where D.Command: Codable & Sendable {
    DraftDecider(decider) { command, _ in throw DraftText.Problem("\(D.category) decides within no boundary") }
  }

  /// A decider within boundaries.
  ///
  /// - Parameter decider: The decider; its commands are kept as their `Codable` writes them.
  /// - Returns: The decider, for a draft that is kept.
  public static func of<D: BoundaryDecider>(_ decider: D.Type) -> DraftDecider where D.Command: Codable & Sendable {
    DraftDecider(decider) { command, metadata in KeptCommand(command, of: decider, metadata) }
  }

  private init<D: Decider>(
    _ decider: D.Type, boundary: @escaping @Sendable (D.Command, Metadata) throws -> KeptCommand
  ) where D.Command: Codable & Sendable {
    category = D.category
    write = { command, coder in try (command as? D.Command).map { try coder.encode($0) } }
    read = { text, call, coder in
      let command = try coder.decode(D.Command.self, from: text)
      let metadata = try call.metadata.map { try Metadata(json: $0) } ?? [:]
      guard let stream = call.stream else { return try boundary(command, metadata) }
      return KeptCommand(
        command, of: decider, in: StreamName(stream), expecting: try call.expectation, metadata, after: call.after ?? 0)
    }
  }
}
