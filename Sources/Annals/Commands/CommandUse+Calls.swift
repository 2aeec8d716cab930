import AnnalsLog

extension IdentifiedCommand {
  /// Identifies a command on a stream or within its boundary.
  ///
  /// - Parameters:
  ///   - id: The command's id.
  ///   - command: The command.
  ///   - subject: The stream or the boundary of the command.
  /// - Returns: The command, or nil without an id.
  package static func execute<D: Decider>(
    _ id: String?, _ command: D.Command, on subject: CommandSubject<D>
  ) -> IdentifiedCommand? {
    guard let id else { return nil }
    let (stream, boundary) = (subject.stream(for: command), subject.boundary(for: command))
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
