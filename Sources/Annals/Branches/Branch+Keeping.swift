/// Where the commands of a branch are kept, and how.
struct DraftKeeping: Sendable {
  let store: any DraftStore
  let codec: DraftCodec

  /// Another program has changed the draft, so that what this branch has is not what is kept.
  static func changed(_ place: DraftPlace) -> EventStoreError {
    EventStoreError(
      .closed,
      "the draft \(JSONValue.quoted(place.name)) was changed, merged or discarded elsewhere since this branch read it; "
        + "nothing was done: open it again by branch(keptAs:deciders:)")
  }
}

extension DraftPlace {
  /// The place after a change.
  fileprivate var next: DraftPlace { DraftPlace(name: name, id: id, edition: edition + 1) }
}

extension Branch {
  /// Keeps a new command, before the branch shows it.
  func keep(_ command: KeptDraft.Command, in state: inout State) throws {
    guard let keeping, let place = state.place else { return }
    guard try keeping.store.add(command, to: place, at: environment.now()) else { throw DraftKeeping.changed(place) }
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
        throw DraftKeeping.changed(place)
      }
      state.place = place.next
    } catch {
      if !isOptional { throw error }
    }
  }

  /// Throws if what is kept is not what the branch has.
  func ensureIsKept(_ place: DraftPlace?) throws {
    guard let keeping, let place, place.edition > 0 else { return }
    guard try keeping.store.draft(named: place.name)?.place == place else { throw DraftKeeping.changed(place) }
  }

  /// Deletes what is kept of a branch that has ended.
  ///
  /// If it cannot be deleted now: what was merged is known by its id when the draft is opened the next time.
  func forget(_ place: DraftPlace?) {
    guard let keeping, let place, place.edition > 0 else { return }
    _ = try? keeping.store.delete(place)
  }
}
