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
        DraftSummary(version: $0.value.kept.version, count: $0.value.kept.commands.count, changed: $0.value.changed)
      }
    }
  }

  func draft(named name: String) -> KeptDraft? { all.withLock { $0[ExactString(name)]?.kept } }

  func add(_ command: KeptDraft.Command, to version: DraftVersion, at time: Date) -> Bool {
    change(version, orBegin: version.edition == 0, at: time) { draft in
      draft.lastNumber < command.number ? draft.commands + [command] : nil
    }
  }

  func arrange(_ numbers: [Int], of version: DraftVersion, at time: Date) -> Bool {
    change(version, orBegin: false, at: time) { draft in
      numbers.compactMap { number in draft.commands.first { $0.number == number } }
    }
  }

  func delete(_ version: DraftVersion) -> Bool {
    all.withLock { all in
      guard all[ExactString(version.name)]?.kept.version == version else { return false }
      all[ExactString(version.name)] = nil
      return true
    }
  }

  private func change(
    _ version: DraftVersion, orBegin begins: Bool, at time: Date, _ body: (KeptDraft) -> [KeptDraft.Command]?
  ) -> Bool {
    all.withLock { all in
      let none = begins ? KeptDraft(version: version, lastNumber: 0, commands: []) : nil
      guard let draft = all[ExactString(version.name)]?.kept ?? none, draft.version == version,
        let commands = body(draft)
      else { return false }
      let next = DraftVersion(name: version.name, id: version.id, edition: version.edition + 1)
      let last = max(draft.lastNumber, commands.map(\.number).max() ?? 0)
      all[ExactString(version.name)] = Draft(
        kept: KeptDraft(version: next, lastNumber: last, commands: commands), changed: time)
      return true
    }
  }

  /// Deletes the commands that contain values of a subject, and returns their number.
  ///
  /// The call also increases the edition (``DraftVersion/edition``) of every affected draft, so no program merges
  /// commands that it read before the erasure.
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
        let version = draft.kept.version
        draft.kept = KeptDraft(
          version: DraftVersion(name: version.name, id: version.id, edition: version.edition + 1),
          lastNumber: draft.kept.lastNumber, commands: commands)
        all[name] = draft
      }
      return count
    }
  }
}
