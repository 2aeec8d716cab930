import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

/// A process whose lists are sorted by the places of texts, as on Apple's systems, with rules that the test chooses.
enum LanguageWork {
  /// German, by comparing texts with the rules of a name: the language's own, or the opposite.
  static func collation(_ rules: String) -> Collation {
    var collation = Collation(locale: Locale(identifier: "de"), isNumeric: true)
    let isReversed = rules == "reversed"
    collation.comparison = TextComparison(version: rules) { left, right, locale in
      isReversed
        ? TextComparison.foundation.compare(right, left, locale)
        : TextComparison.foundation.compare(left, right, locale)
    }
    return collation
  }

  static func requests(_ collation: Collation) -> [(name: String, request: ListRequest<Person>)] {
    let sort: [SortKey<Person>] = [.ascending(\.name, in: collation)]
    return [
      ("sorted", ListRequest(sort: sort)),
      ("descending", ListRequest(sort: [.descending(\.town, in: collation), .ascending(\.name, in: collation)])),
      ("by key", ListRequest(sort: sort, section: .by(\.name, order: .byKey(in: collation)))),
      ("by title", ListRequest(sort: sort, section: .by(\.town, order: .byTitle(in: collation).descending))),
      ("by rows", ListRequest(sort: sort, section: .by(\.town, order: .byRows))),
      ("by initial", ListRequest(sort: sort, section: .byInitial(\.name, in: collation))),
    ]
  }

  /// Appends names, fetches and saves the lists, and prints for each of them whether it was restored and its rows.
  ///
  /// - Parameters:
  ///   - path: The log.
  ///   - rules: The name of the rules.
  ///   - names: The names to append, before and after the lists were fetched. They also get their places first, so that
  ///     each process has other places.
  /// - Throws: The error of the store or a list.
  static func run(_ path: String, _ rules: String, _ names: [String]) throws {
    let collation = collation(rules)
    var writer = KeyWriter()
    for name in names.reversed() { collation.write(name, to: &writer) }
    let store = try SQLiteEventStore(path: path, durability: .process)
    func append(_ names: ArraySlice<String>) throws {
      if !names.isEmpty { try store.append(names.map { PersonEvent.came(name: $0) }, to: "People-1") }
    }
    let half = names.count / 2
    try append(names[..<half])
    let lists = try requests(collation).map { name, request in
      let list = FetchedResultsController(store: store, projection: People(), request: request, cacheName: name)
      try list.performFetch()
      return (name, list)
    }
    try append(names[half...])
    for (name, list) in lists {
      list.refresh()
      try list.saveCache()
      let report = list.cacheReport
      let rows = list.results.map { section in section.map(\.name) }
      let found = Printed(
        list: name, restored: report.restored?.rawValue, problem: report.problem, sections: rows,
        titles: list.results.map(\.title),
        found: list.results.indices.map { index in
          list.results.rows(beginningWith: "a", inSection: index).map { list.results[index][$0].name }
        })
      StoreChild.say(String(decoding: try JSONEncoder().encode(found), as: UTF8.self))
    }
  }

  struct Printed: Codable {
    let list: String
    let restored: Int?
    let problem: String?
    let sections: [[String]]
    let titles: [String]
    let found: [[String]]
  }

  struct Person: Row, Codable, Equatable {
    let id: Int
    var name: String
    var town: String?
  }
}

private enum PersonEvent: Event { case came(name: String) }

/// People from towns whose titles are not in the order of their keys.
private struct People: Projection {
  static let identity = "LanguageWork.People"

  static func town(of name: String) -> String? {
    let number = name.utf8.reduce(0) { $0 + Int($1) } % 40
    return number == 0 ? nil : "\(number)"
  }

  func project(_ event: PersonEvent, into rows: inout Rows<LanguageWork.Person>) {
    switch event {
    case .came(let name):
      let town = Self.town(of: name)
      rows.insert(LanguageWork.Person(id: rows.count, name: name, town: town))
      if town != nil { rows.renameSection(town, of: \.town, to: String(name.reversed())) }
    }
  }
}
