/// Where the commands of a branch are kept, and how.
struct DraftKeeping: Sendable {
  let store: any DraftStore
  let codec: DraftCodec
}

extension DraftPlace {
  /// The place after a change.
  fileprivate var next: DraftPlace { DraftPlace(name: name, id: id, edition: edition + 1) }
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

  /// Keeps which commands the branch has and in which order, if that has changed.
  ///
  /// - Parameters:
  ///   - commands: The commands from now on.
  ///   - state: What the branch is.
  ///   - isOptional: True if what is kept may lag behind: what the base has by now is dropped when the draft is opened.
  /// - Throws: ``EventStoreError``; nothing was kept then.
  func keep(orderOf commands: [BranchCommand], in state: inout State, isOptional: Bool) throws {
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
  ///   - seen: The branch.
  /// - Returns: The commands, and the version of the draft that is stored.
  /// - Throws: ``EventStoreError``.
  func withoutErased(
    _ commands: [BranchCommand], of seen: State
  ) throws -> (commands: [BranchCommand], place: DraftPlace?) {
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

  /// Deletes a draft that was discarded.
  func forget(_ place: DraftPlace?) {
    guard let keeping, let place, place.edition > 0 else { return }
    _ = try? keeping.store.delete(place)
  }
}
