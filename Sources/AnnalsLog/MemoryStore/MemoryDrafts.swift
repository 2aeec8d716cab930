import Foundation
import Synchronization

/// The store for drafts of a store in memory.
///
/// It keeps the drafts as long as the store exists.
final class MemoryDrafts: DraftStore {
  private struct Draft {
    var kept: KeptDraft
    var changed: Date
  }

  private let all = Mutex<[ExactString: Draft]>([:])

  func drafts() -> [DraftSummary] {
    all.withLock { all in
      all.sorted { $0.key < $1.key }.map {
        DraftSummary(place: $0.value.kept.place, count: $0.value.kept.commands.count, changed: $0.value.changed)
      }
    }
  }

  func draft(named name: String) -> KeptDraft? { all.withLock { $0[ExactString(name)]?.kept } }

  func add(_ command: KeptDraft.Command, to place: DraftVersion, at time: Date) -> Bool {
    change(place, orBegin: place.edition == 0, at: time) { draft in
      draft.lastNumber < command.number ? draft.commands + [command] : nil
    }
  }

  func arrange(_ numbers: [Int], of place: DraftVersion, at time: Date) -> Bool {
    change(place, orBegin: false, at: time) { draft in
      numbers.compactMap { number in draft.commands.first { $0.number == number } }
    }
  }

  func delete(_ place: DraftVersion) -> Bool {
    all.withLock { all in
      guard all[ExactString(place.name)]?.kept.place == place else { return false }
      all[ExactString(place.name)] = nil
      return true
    }
  }

  private func change(
    _ place: DraftVersion, orBegin begins: Bool, at time: Date, _ body: (KeptDraft) -> [KeptDraft.Command]?
  ) -> Bool {
    all.withLock { all in
      let none = begins ? KeptDraft(place: place, lastNumber: 0, commands: []) : nil
      guard let draft = all[ExactString(place.name)]?.kept ?? none, draft.place == place, let commands = body(draft)
      else { return false }
      let next = DraftVersion(name: place.name, id: place.id, edition: place.edition + 1)
      let last = max(draft.lastNumber, commands.map(\.number).max() ?? 0)
      all[ExactString(place.name)] = Draft(
        kept: KeptDraft(place: next, lastNumber: last, commands: commands), changed: time)
      return true
    }
  }

  /// Deletes the commands that contain values of a subject, and returns their number.
  ///
  /// This also increases the edition of an affected draft (``DraftVersion/edition``), so no program merges commands
  /// that it read before the erasure.
  func erase(_ subject: String) -> Int {
    all.withLock { all in
      var count = 0
      for (name, var draft) in all {
        let before = count
        let commands = draft.kept.commands.map { command in
          guard command.content != .erased,
            command.subjects.contains(where: { ExactString($0) == ExactString(subject) })
          else { return command }
          count += 1
          return KeptDraft.Command(number: command.number, content: .erased, subjects: command.subjects)
        }
        if count == before { continue }
        let place = draft.kept.place
        draft.kept = KeptDraft(
          place: DraftVersion(name: place.name, id: place.id, edition: place.edition + 1),
          lastNumber: draft.kept.lastNumber, commands: commands)
        all[name] = draft
      }
      return count
    }
  }
}
