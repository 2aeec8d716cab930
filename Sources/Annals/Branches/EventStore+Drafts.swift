import AnnalsLog

extension EventStore {
  /// Opens a draft that survives a restart of the app: a floating ``Branch`` whose commands the store keeps under a
  /// name.
  ///
  /// If the store already keeps a draft with that name, the branch contains the draft's commands, which are re-decided
  /// based on the log's current state. Otherwise the branch has no commands, and the store keeps the draft as soon as
  /// you execute a command on the branch. The store keeps the draft until you merge or discard it.
  ///
  ///     let draft = try store.draft(named: "form-17", deciders: .of(Hall.self))
  ///     try draft.execute(.take(5, "Bob"), on: Hall["main"])
  ///     // After a restart the same line opens the draft with its command.
  ///
  /// When `execute` returns, the command is in the store. If a stored command can't be decoded when you open the draft,
  /// ``Branch/conflicts`` contains the command, with a ``Branch/DraftError`` as the reason. This also applies to a
  /// command that contained values of a person, if these values were erased later. Such commands stay in the
  /// store until you remove them with ``Branch/drop(_:isolation:)``.
  ///
  /// After a merge, the draft no longer exists, and you can reuse its name.
  ///
  /// - Parameters:
  ///   - name: The draft's name.
  ///   - deciders: The deciders of the draft's commands. A command of any other decider is refused with a
  ///     ``Branch/DraftError``.
  /// - Returns: The branch.
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store can't keep drafts, and `.invalidAppend` if the name is
  ///   empty or contains a NUL character).
  /// - Complexity: The total complexity of executing the draft's commands.
  public func draft(named name: String, deciders: Branch.DraftDecider...) throws -> Branch {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    try Append.require(name, "the draft's name")
    let keeping = DraftKeeping(store: drafts, codec: DraftCodec(deciders))
    var kept = try drafts.draft(named: name)
    if let draft = kept, try receipt(ofCommand: draft.version.id) != nil {
      // The process that merged the draft ended before it could delete the draft.
      _ = try drafts.delete(draft.version)
      kept = nil
    }
    let version = kept?.version ?? DraftVersion(name: name, id: "draft:" + environment.makeID(), edition: 0)
    let commands = kept?.commands.map { keeping.codec.command($0, of: name) } ?? []
    let branch = try Branch(
      self, on: ground(at: Position?.none), isFloating: true, keeping: keeping, at: version, commands,
      nextNumber: (kept?.lastNumber ?? 0) + 1)
    if !commands.isEmpty { _ = try branch.change(toBaseEnd: true) { $0 } }
    return branch
  }

  /// Returns the drafts that the store keeps, sorted by name.
  ///
  /// Merged drafts aren't included.
  ///
  /// - Returns: A summary of every draft.
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store can't keep drafts).
  public func savedDrafts() throws -> [DraftSummary] {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    return try drafts.drafts().filter { try receipt(ofCommand: $0.version.id) == nil }
  }

  /// Deletes a draft that the store keeps.
  ///
  /// If the draft is open as a ``Branch``, the branch then accepts no more commands.
  ///
  /// - Parameter draft: The draft's summary from ``savedDrafts()``.
  /// - Returns: True if the draft was deleted, or false if the draft has been changed or deleted since the summary was
  ///   read.
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store can't keep drafts).
  @discardableResult
  public func deleteDraft(_ draft: DraftSummary) throws -> Bool {
    guard let drafts else { throw EventStoreError.unsupported("drafts", by: Self.self) }
    return try drafts.delete(draft.version)
  }
}
