extension EventStore {
  /// Opens a draft that survives a restart: a branch that floats, whose commands the store keeps under a name.
  ///
  /// If the store keeps a draft of that name, the branch has its commands, decided again on the log's end. Otherwise it
  /// is new, and the store keeps it from its first command on. It is kept until it is merged or discarded.
  ///
  ///     let draft = try store.branch(keptAs: "form-17", deciders: .of(Hall.self))
  ///     try draft.execute(.take(5, "Bob"), on: Hall.self, id: "main")
  ///     // After a restart the same line opens the draft with its command.
  ///
  /// A command is in the store when `execute` returns. One that can no longer be read, or that said something of a
  /// subject which was erased since, is among ``Branch/conflicts`` with a ``DraftError``, and stays in the store until
  /// you drop it.
  ///
  /// A draft that was merged is not opened again: the name is free.
  ///
  /// - Parameters:
  ///   - name: The draft's name.
  ///   - deciders: Those whose commands the draft may have. A command of another one is refused with a ``DraftError``.
  /// - Returns: The branch.
  /// - Throws: ``EventStoreError``: with the code `unsupported` if the store keeps no drafts, with `invalidAppend` if
  ///   the name is empty or has a NUL character.
  /// - Complexity: That of executing the commands.
  public func branch(keptAs name: String, deciders: DraftDecider...) throws -> Branch {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    try Append.require(name, "the draft's name")
    let keeping = DraftKeeping(store: drafts, codec: DraftCodec(deciders))
    var kept = try drafts.draft(named: name)
    if let draft = kept, try receipt(ofCommand: draft.place.id) != nil {
      // The process ended after the merge, and before the draft was deleted.
      _ = try drafts.delete(draft.place)
      kept = nil
    }
    let place = kept?.place ?? DraftPlace(name: name, id: "draft:" + environment.makeID(), edition: 0)
    let commands = kept?.commands.map { keeping.codec.command($0, of: name) } ?? []
    let branch = try Branch(
      self, on: ground(at: Position?.none), isFloating: true, keeping: keeping, at: place, commands,
      nextNumber: (kept?.lastNumber ?? 0) + 1)
    if !commands.isEmpty { _ = try branch.change(toBaseEnd: true) { $0 } }
    return branch
  }

  /// What drafts the store keeps, by name; not those that were merged.
  ///
  /// - Returns: One for each draft.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no drafts.
  public func keptDrafts() throws -> [DraftSummary] {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    return try drafts.drafts().filter { try receipt(ofCommand: $0.place.id) == nil }
  }

  /// Deletes a draft that the store keeps; a branch that has it open takes no command from then on.
  ///
  /// - Parameter draft: The draft, as ``keptDrafts()`` names it.
  /// - Returns: False if the draft was changed or deleted since.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no drafts.
  @discardableResult
  public func deleteDraft(_ draft: DraftSummary) throws -> Bool {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    return try drafts.delete(draft.place)
  }
}
