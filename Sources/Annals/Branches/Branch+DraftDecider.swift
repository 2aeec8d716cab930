import AnnalsLog

extension Branch {
  /// A decider type for a draft that a store keeps, together with the code that saves the decider's commands.
  ///
  /// Pass draft deciders to ``EventStore/draft(named:deciders:)``. A draft decider encodes its commands when the store
  /// saves them, and decodes them when you open the draft.
  ///
  /// A draft identifies the decider by its ``Decider/category``. The default category is the type's name. If you rename
  /// the type, declare its old name as the category, so that stored commands can still be decoded.
  ///
  ///     let draft = try store.draft(named: "form-17", deciders: .of(Hall.self), .of(Shelf.self))
  public struct DraftDecider: Sendable {
    let category: String
    /// Encodes a command as JSON, or returns nil if the value isn't a command of the decider.
    let write: @Sendable (_ command: Any, PayloadCoder) throws -> String?
    /// Decodes a command on a stream, or within its boundary.
    let read: @Sendable (_ text: String, DraftText.Call, PayloadCoder) throws -> KeptCommand

    /// Returns a draft decider for a ``Decider``.
    ///
    /// - Parameter decider: The decider type. The store keeps its commands as JSON, in their `Codable` form.
    /// - Returns: The draft decider.
    public static func of<D: Decider>(_ decider: D.Type) -> DraftDecider where D.Command: Codable & Sendable {
      DraftDecider(decider) { command, _ in
        throw DraftText.Problem(
          "the command was stored with a boundary instead of a stream, but \(D.self) isn't a BoundaryDecider")
      }
    }

    /// Returns a draft decider for a ``BoundaryDecider``.
    ///
    /// - Parameter decider: The decider type. The store keeps its commands as JSON, in their `Codable` form.
    /// - Returns: The draft decider.
    public static func of<D: BoundaryDecider>(_ decider: D.Type) -> DraftDecider
    where D.Command: Codable & Sendable {
      DraftDecider(decider) { command, metadata in
        KeptCommand(command, on: .boundary(decider), metadata, after: 0)
      }
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
        let subject = CommandSubject<D>(stream: StreamName(stream), expecting: try call.expectation)
        return KeptCommand(command, on: subject, metadata, after: call.after ?? 0)
      }
    }
  }
}
