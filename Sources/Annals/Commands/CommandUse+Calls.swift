import AnnalsLog

extension IdentifiedCommand {
  /// Identifies a command on a stream.
  ///
  /// - Parameters:
  ///   - id: The command's id.
  ///   - command: The command.
  ///   - decider: The decider type that handles the command.
  ///   - stream: The stream of the command.
  /// - Returns: The command, or nil without an id.
  package static func execute<D: Decider>(
    _ id: String?, _ command: D.Command, on decider: D.Type, in stream: StreamName
  ) -> IdentifiedCommand? {
    id.map { execute($0, command, decider, stream, within: nil) }
  }

  /// Identifies a command on the events inside its boundary.
  ///
  /// - Parameters:
  ///   - id: The command's id.
  ///   - command: The command.
  ///   - decider: The decider type that handles the command.
  /// - Returns: The command, or nil without an id.
  package static func execute<D: BoundaryDecider>(
    _ id: String?, _ command: D.Command, on decider: D.Type
  ) -> IdentifiedCommand? {
    id.map { execute($0, command, decider, D.stream(for: command), within: D.boundary(for: command)) }
  }

  private static func execute<D: Decider>(
    _ id: String, _ command: D.Command, _ decider: D.Type, _ stream: StreamName, within boundary: EventQuery?
  ) -> IdentifiedCommand {
    var parts = boundary.map { [$0.canonicalText] } ?? []
    // Use the canonical form, because another process encodes the elements of a set in another order.
    if let command = command as? any Encodable, let text = try? PayloadCoder(isCanonical: true).encode(command) {
      parts.append(text)
    }
    let call = "execute \(D.category) \(boundary == nil ? "on" : "within a boundary, on") \(stream)"
    return IdentifiedCommand(
      id: id, use: CommandUse(call: call, digest: parts.isEmpty ? nil : CommandUse.digest(of: parts, salt: id)))
  }

  /// Identifies a transaction of several commands, or returns nil without an id.
  ///
  /// A repeated transaction doesn't run its body, so its commands can't be compared.
  package static func transaction(_ id: String?) -> IdentifiedCommand? {
    id.map { IdentifiedCommand(id: $0, use: CommandUse(call: "a transaction", digest: nil)) }
  }

  /// Identifies the merge of a branch, or returns nil without an id.
  static func merge(_ id: String?) -> IdentifiedCommand? {
    id.map { IdentifiedCommand(id: $0, use: CommandUse(call: "the merge of a branch", digest: nil)) }
  }
}

extension EventStore {
  /// Returns the receipt of a command that the log already contains, or nil if the command has a new id or no id.
  ///
  /// - Throws: ``EventStoreError`` (`.commandReused`) if the id was used for another call.
  func repeated(_ command: IdentifiedCommand?) throws -> Receipt? {
    guard let command, let first = try receipt(ofCommand: command.id) else { return nil }
    return try command.repeated(first)
  }
}
