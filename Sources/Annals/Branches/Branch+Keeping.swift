import AnnalsLog

/// The store that keeps a branch's commands, and their codec.
struct DraftKeeping: Sendable {
  let store: any DraftStore
  let codec: DraftCodec
}

extension DraftVersion {
  /// The version of the draft after one more change.
  fileprivate var next: DraftVersion { DraftVersion(name: name, id: id, edition: edition + 1) }
}

extension Branch {
  /// Keeps a new command in the store, before the branch shows the command.
  func keep(_ command: KeptDraft.Command, in state: inout State) throws {
    guard let keeping, let version = state.version else { return }
    guard try keeping.store.add(command, to: version, at: environment.now()) else {
      throw EventStoreError.draftChanged(version)
    }
    state.version = version.next
  }

  /// Keeps the selection and the order of the branch's commands, if they have changed.
  ///
  /// - Parameters:
  ///   - commands: The new commands.
  ///   - state: The branch's state.
  ///   - isOptional: True if the stored draft may lag behind. In that case, commands that the base already has are
  ///     dropped when the draft is opened.
  /// - Throws: ``EventStoreError``. In this case, the stored draft wasn't changed.
  func keep(orderOf commands: [Command], in state: inout State, isOptional: Bool) throws {
    let numbers = commands.map(\.number)
    guard let keeping, let version = state.version, numbers != state.commands.map(\.number) else { return }
    do {
      guard try keeping.store.arrange(numbers, of: version, at: environment.now()) else {
        throw EventStoreError.draftChanged(version)
      }
      state.version = version.next
    } catch {
      if !isOptional { throw error }
    }
  }

  /// Replaces commands whose content an erasure has deleted from the stored draft.
  ///
  /// If the stored draft was also changed in another way, the commands stay the same.
  ///
  /// - Parameters:
  ///   - commands: Commands of the branch.
  ///   - seen: The branch's state.
  /// - Returns: The commands, and the stored draft's name, identifier and edition.
  /// - Throws: ``EventStoreError``.
  func withoutErased(
    _ commands: [Command], of seen: State
  ) throws -> (commands: [Command], version: DraftVersion?) {
    guard let keeping, let version = seen.version, version.edition > 0,
      let kept = try keeping.store.draft(named: version.name), kept.version.id == version.id
    else { return (commands, seen.version) }
    if kept.version == version || kept.lastNumber >= seen.nextNumber { return (commands, seen.version) }
    // The store may still have commands that this branch dropped when it couldn't write.
    let known = Set(seen.commands.map(\.number))
    guard kept.commands.map(\.number).filter(known.contains) == seen.commands.map(\.number) else {
      return (commands, seen.version)
    }
    let erased = kept.commands.filter { $0.content == .erased }
    let mended = commands.map { command in
      erased.first { $0.number == command.number }.map { keeping.codec.command($0, of: version.name) } ?? command
    }
    return (mended, kept.version)
  }

  /// Deletes a discarded draft.
  func forget(_ version: DraftVersion?) {
    guard let keeping, let version, version.edition > 0 else { return }
    _ = try? keeping.store.delete(version)
  }
}
