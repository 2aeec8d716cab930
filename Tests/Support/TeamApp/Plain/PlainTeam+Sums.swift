import Annals
import Foundation
import TeamApp
import TeamBoards
import TeamPeople

extension PlainTeam {
  /// Compares counts, sums, and the latest dates with a pass over all rows.
  func sums(of lists: TeamLists) -> [String] {
    var found: [String] = []
    func compare<Value: Equatable>(_ name: String, _ shown: Value, _ value: Value) {
      if shown != value { found.append("\(name): expected \(value), found \(shown)") }
    }
    for section in lists.people.sections {
      compare("people of \(section.title)", section[.count], people.values.filter { $0.team == section.title }.count)
    }
    for section in lists.board.sections {
      let rows = cards.values.filter { $0.board == TeamLists.board && .string($0.stage.rawValue) == section.key }
      compare("cards of \(section.title)", section[.count], rows.count)
      compare("points of \(section.title)", section[.sum(\.points)], rows.reduce(0) { $0 + $1.points })
    }
    for section in lists.byPerson.sections {
      let rows = cards.values.filter { card in (card.person.map { .string($0) } ?? .null) == section.key }
      compare("cards of \(section.key)", section[.count], rows.count)
      compare("points of \(section.key)", section[.sum(\.points)], rows.reduce(0) { $0 + $1.points })
      compare("latest of \(section.key)", section[.maximum(\.due)], rows.compactMap(\.due).max())
      compare("boards of \(section.key)", section[.distinct(\.board)], Set(rows.map(\.board)).count)
    }
    let all = lists.byPerson.results
    compare("all cards", all[.count], cards.count)
    compare("all points", all[.sum(\.points)], cards.values.reduce(0) { $0 + $1.points })
    compare("latest of all", all[.maximum(\.due)], cards.values.compactMap(\.due).max())
    compare("boards of all", all[.distinct(\.board)], Set(cards.values.map(\.board)).count)
    for section in lists.done.sections {
      // Also of sections that are collapsed.
      let rows = cards.values.filter { card in card.done.map { .string($0.month) } == section.key }
      compare("done in \(section.title)", section[.count], rows.count)
      compare("points in \(section.title)", section[.sum(\.points)], rows.reduce(0) { $0 + $1.points })
    }
    return found
  }

  /// Compares the rows that begin with a text with those of a pass over all rows.
  func prefixes(of lists: TeamLists) -> [String] {
    let results = lists.titles.results
    var found: [String] = []
    for prefix in ["", "a", "write", "write t", "zzz"] {
      let rows = results.rows(beginningWith: prefix, inSection: 0).map { results.rows[$0].id }
      let expected = cards.values.filter { $0.title.lowercased().hasPrefix(prefix) }.map(\.id)
      if Set(rows) != Set(expected) || rows.count != expected.count {
        found.append("\"\(prefix)\": expected \(expected.sorted()), found \(rows)")
      }
      let first = results.firstPath(beginningWith: prefix).flatMap { results.row(at: $0) }
      if first?.id != rows.first { found.append("\"\(prefix)\": the first is \(first?.id ?? "none")") }
    }
    return found
  }
}
