import Annals
import Foundation
public import TeamApp
import TeamBoards
import TeamPeople

extension PlainTeam {
  /// Compares the ten lists with what the events say.
  ///
  /// - Parameter lists: The lists.
  /// - Returns: A line for each difference; none if the lists are right.
  public func differences(from lists: TeamLists) -> [String] {
    var found: [String] = []
    func compare<Row>(_ name: String, _ list: Results<Row>, _ sections: [PlainSection<Row>]) {
      let shown = PlainSection.sections(of: list.expanded)
      if shown != sections { found.append("\(name): expected \(sections), found \(shown)") }
      for (index, section) in list.sections.enumerated() where list.collapsedSections.contains(section.key) {
        if !section.isEmpty { found.append("\(name): the collapsed section \(index) shows rows") }
      }
    }
    compare("people", lists.people.results, peopleByTeam)
    compare("boards", lists.boards.results, boardsByName)
    compare("board", lists.board.results, columns)
    compare("next", lists.next.results, nextCards)
    compare("agenda", lists.agenda.results, agenda)
    compare("byPerson", lists.byPerson.results, cardsByPerson)
    compare("titles", lists.titles.results, cardsByTitle)
    compare("done", lists.done.results, cardsDone)
    compare("comments", lists.comments.results, commentsByCard)
    compare("activity", lists.activity.results, lastActivity)
    found += sums(of: lists)
    found += prefixes(of: lists)
    return found
  }

  private var peopleByTeam: [PlainSection<PersonRow>] {
    let rows = Array(people.values).sorted(
      by: ascending { $0.team }, ascending { $0.hasLeft ? 1 : 0 }, ascending { $0.name.value }, ascending { $0.id })
    return PlainSection.cut(rows) { .string($0.team) }
  }

  private var boardsByName: [PlainSection<BoardRow>] {
    let rows = Array(boards.values).sorted(
      by: ascending { $0.isArchived ? 1 : 0 }, ascending { $0.name }, ascending { $0.id })
    return PlainSection.cut(rows) { .bool($0.isArchived) }
  }

  private var columns: [PlainSection<CardRow>] {
    let rows = cards.values.filter { $0.board == TeamLists.board }
      .sorted(by: descending { $0.points }, ascending { $0.title }, ascending { $0.id })
    return PlainSection.cut(
      rows, by: { .string($0.stage.rawValue) }, in: ["to do", "doing", "review", "done"].map { .string($0) })
  }

  private var nextCards: [PlainSection<CardRow>] {
    let rows = cards.values.filter { $0.person == TeamLists.person }
      .sorted(by: descending { $0.due }, ascending { $0.title }, ascending { $0.id })
    let shown = Array(rows.dropFirst().prefix(3))
    // A list without sections has one, also without rows.
    return [PlainSection(key: .null, title: "", rows: shown)]
  }

  private var agenda: [PlainSection<CardRow>] {
    let rows = cards.values.filter { $0.due != nil && $0.stage != .done }
      .sorted(by: ascending { $0.boardName }, ascending { $0.board }, ascending { $0.due }, ascending { $0.id })
    return PlainSection.cut(rows, by: { .string($0.board) }) { key in
      boards.values.first { .string($0.id) == key }?.name
    }
  }

  private var cardsByPerson: [PlainSection<CardRow>] {
    let rows = Array(cards.values).sorted(
      by: descending { $0.changed }, ascending { $0.title }, ascending { $0.id })
    return PlainSection.cut(rows) { $0.person.map { .string($0) } ?? .null }
  }

  private var cardsByTitle: [PlainSection<CardRow>] {
    let rows = Array(cards.values).sorted(by: ascending { $0.title.lowercased() }, ascending { $0.id })
    return [PlainSection(key: .null, title: "", rows: rows)]
  }

  private var cardsDone: [PlainSection<CardRow>] {
    let rows = cards.values.filter { $0.stage == .done }
      .sorted(by: descending { $0.done?.month }, descending { $0.done }, ascending { $0.id })
    return PlainSection.cut(rows) { $0.done.map { .string($0.month) } ?? .null }
  }

  private var commentsByCard: [PlainSection<CommentRow>] {
    let rows = Array(comments.values).sorted(by: descending { $0.written }, ascending { $0.id })
    let names = Dictionary(uniqueKeysWithValues: titles.map { (SectionKey.string($0.key), $0.value) })
    return PlainSection.cut(rows, by: { .string($0.card) }) { names[$0] }
  }

  private var lastActivity: [PlainSection<ActivityRow>] {
    let rows = activity.sorted(by: descending { $0.day }, descending { $0.id })
    return PlainSection.window(PlainSection.cut(rows) { .string($0.day) }, offset: 0, limit: 100)
  }
}
