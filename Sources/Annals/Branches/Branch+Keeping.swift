import AnnalsLog

/// The store that keeps a branch's commands, and their codec.
struct DraftKeeping: Sendable {
  let store: any DraftStore
  let codec: DraftCodec
}

extension DraftVersion {
  /// The place of the draft after one more change.
  fileprivate var next: DraftVersion { DraftVersion(name: name, id: id, edition: edition + 1) }
}

extension Branch {
  /// Keeps a new command, before the branch shows it.
  func keep(_ command: KeptDraft.Command, in state: inout State) throws {
    guard let keeping, let place = state.place else { return }
    guard try keeping.store.add(command, to: place, at: environment.now()) else {
      throw EventStoreError.draftChanged(place)
    }
    state.place = place.next
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
    guard let keeping, let place = state.place, numbers != state.commands.map(\.number) else { return }
    do {
      guard try keeping.store.arrange(numbers, of: place, at: environment.now()) else {
        throw EventStoreError.draftChanged(place)
      }
      state.place = place.next
    } catch {
      if !isOptional { throw error }
    }
  }

  /// Replaces commands that an erasure has deleted from the store, unless the draft was changed in another way.
  ///
  /// - Parameters:
  ///   - commands: Commands of the branch.
  ///   - seen: The branch's state.
  /// - Returns: The commands, and the stored draft's name, identifier and edition.
  /// - Throws: ``EventStoreError``.
  func withoutErased(
    _ commands: [Command], of seen: State
  ) throws -> (commands: [Command], place: DraftVersion?) {
    guard let keeping, let place = seen.place, place.edition > 0,
      let kept = try keeping.store.draft(named: place.name), kept.place.id == place.id, kept.place != place,
      kept.lastNumber < seen.nextNumber
    else { return (commands, seen.place) }
    // The store may still have commands that this branch dropped when it couldn't write.
    let known = Set(seen.commands.map(\.number))
    guard kept.commands.map(\.number).filter(known.contains) == seen.commands.map(\.number) else {
      return (commands, seen.place)
    }
    let erased = kept.commands.filter { $0.content == .erased }
    let mended = commands.map { command in
      erased.first { $0.number == command.number }.map { keeping.codec.command($0, of: place.name) } ?? command
    }
    return (mended, kept.place)
  }

  /// Deletes a discarded draft.
  func forget(_ place: DraftVersion?) {
    guard let keeping, let place, place.edition > 0 else { return }
    _ = try? keeping.store.delete(place)
  }
}
