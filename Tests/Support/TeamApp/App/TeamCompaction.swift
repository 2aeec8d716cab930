public import Annals
import TeamBoards
import TeamPeople

extension Team {
  /// Cuts what later events made needless: titles, estimates, dates and texts that were replaced.
  ///
  /// - Returns: What was cut.
  /// - Throws: Why nothing was cut.
  @discardableResult
  public func compact() async throws -> CompactionReceipt {
    var compaction = Compaction()
    compaction.rewrite(TeamCardEvent.self) { _, events in
      Self.withoutReplaced(events) { event in
        switch event {
        case .renamed(let id, _): "title \(id)"
        case .estimated(let id, _): "points \(id)"
        case .scheduled(let id, _): "due \(id)"
        default: nil
        }
      }
    }
    compaction.rewrite(TeamCommentEvent.self) { _, events in
      Self.withoutReplaced(events) { if case .edited(let id, _, _) = $0 { "text \(id)" } else { nil } }
    }
    compaction.prove(People(), request: .people)
    compaction.prove(Boards(), request: .boards)
    compaction.prove(Cards(), request: .byPerson)
    compaction.prove(Cards(), request: .agenda)
    compaction.prove(Comments(), request: .comments)
    compaction.prove(Activity(), request: .activity)
    compaction.prove(Membership.self)
    compaction.prove(Board.self)
    compaction.prove(CardDesk.self)
    compaction.prove(Discussion.self)
    return try await store.compact(compaction)
  }

  /// Of the events that replace one another, the last one.
  private static func withoutReplaced<E: Event>(
    _ events: [Compaction.Candidate<E>], _ what: (E) -> String?
  ) -> [Compaction.Candidate<E>] {
    var seen: Set<String> = []
    return events.reversed().filter { event in what(event.event).map { seen.insert($0).inserted } ?? true }.reversed()
  }
}
