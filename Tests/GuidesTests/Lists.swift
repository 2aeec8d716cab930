import Annals
import Foundation

enum VolumeShelvedEvent: Event {
  case bought(Volume)
  case lent(id: String, to: String)
}

struct Volume: Row {
  let id: String
  var title: String
  var author: String
  var year: Int
  var price: Double
  var reader: String?
}

struct Volumes: Projection {
  func project(_ event: VolumeShelvedEvent, into rows: inout Rows<Volume>) {
    switch event {
    case .bought(let volume): rows.insert(volume)
    case .lent(let id, let reader): rows[id]?.reader = reader
    }
  }
}

struct ShelvedBook: Row {
  let id: String
  var shelf: String?
}

enum BookcaseEvent: Event {
  case added(ShelvedBook)
  case shelfNamed(id: String, name: String, place: Double)
}

struct ShelvedBooks: Projection {
  func project(_ event: BookcaseEvent, into rows: inout Rows<ShelvedBook>) {
    rows.renameSection(nil, of: \.shelf, to: "Not on a shelf")
    switch event {
    case .added(let book): rows.insert(book)
    case .shelfNamed(let id, let name, let place):
      rows.renameSection(id, of: \.shelf, to: name)
      rows.numberSection(id, of: \.shelf, to: place)
    }
  }
}

struct Loan: Row {
  let id: String
  var date: Date
}

func loans(on today: Date) -> Sectioning<Loan> {
  let day = Calendar.current.startOfDay(for: today)
  return .by("loans on \(day)", order: .inOrder(of: ["Today", "Earlier"])) { $0.date >= day ? "Today" : "Earlier" }
}

extension Volume {
  static let search = TextSearch<Volume>(.wordBeginnings, in: \.title, \.author)
}

/// The program of `Docs/Guides/03-Lists.md`.
enum Lists {
  @MainActor static func run(path: String) throws {
    let store = MemoryEventStore()
    try store.append(
      [
        VolumeShelvedEvent.bought(Volume(id: "1", title: "Annals", author: "Tacitus", year: 116, price: 50)),
        .bought(Volume(id: "2", title: "Histories", author: "Herodotus", year: -430, price: 40)),
        .bought(Volume(id: "3", title: "Histories", author: "Tacitus", year: 109, price: 45)),
        .bought(Volume(id: "4", title: "Äneid", author: "Vergil", year: -19, price: 30)),
        .bought(Volume(id: "5", title: "Germania", author: "Tacitus", year: 98, price: 25)),
      ], to: "library")

    /// Prints a list's titles, each section on a line.
    func show(_ results: Results<Volume>) {
      for section in results { print("\(section.title):", section.map(\.title).joined(separator: ", ")) }
    }

    let byAuthor = try store.list(
      of: Volumes(), ListRequest(sort: [.ascending(\.year)], section: .by(\.author)))
    show(byAuthor)

    show(
      try store.list(
        of: Volumes(),
        ListRequest(sort: [.ascending(\.year)], section: .by(\.author, order: .byRows))))

    show(
      try store.list(
        of: Volumes(),
        ListRequest(section: .by("century") { $0.year < 0 ? "before" : "after" })))

    let bookcase = MemoryEventStore()
    try bookcase.append(
      [
        BookcaseEvent.shelfNamed(id: "s1", name: "Law", place: 3),
        .shelfNamed(id: "s2", name: "History", place: 1),
        .shelfNamed(id: "s3", name: "Poetry", place: 2),
        .added(ShelvedBook(id: "1", shelf: "s1")), .added(ShelvedBook(id: "2", shelf: "s2")),
        .added(ShelvedBook(id: "3", shelf: nil)),
      ], to: "bookcase")
    let shelves = try bookcase.list(
      of: ShelvedBooks(), ListRequest(section: .by(\.shelf, order: .byNumber, pinned: ["s3"])))
    for section in shelves { print(section.title, section.map(\.id)) }

    let language = Collation(locale: Locale(identifier: "de"))
    print(try store.list(of: Volumes(), ListRequest(sort: [.ascending(\.title)])).rows.map(\.title))
    print(try store.list(of: Volumes(), ListRequest(sort: [.ascending(\.title, in: language)])).rows.map(\.title))

    let total = Aggregate.sum(\Volume.price)
    let volumes = FetchedResultsController(
      store: store, projection: Volumes(),
      request: ListRequest(
        sort: [.ascending(\.title, in: language)], section: .by(\.author), aggregates: [.count, total]))
    try volumes.performFetch()
    for section in volumes.sections { print(section.title, section[.count], section[total]) }

    let observation = volumes.observe { print("\($0.rows.count) rows, \($0.sections.count) sections") }
    try volumes.update { $0.filter = .where("cheap") { $0.price < 46 } && !.where("lent") { $0.reader != nil } }
    show(volumes.results)
    try volumes.update { $0.filter = Volume.search.filter("his") }
    show(volumes.results)

    try volumes.update {
      $0.filter = nil
      $0.section = nil
      $0.limit = 2
      $0.offset = 1
    }
    print(volumes.results.rows.map(\.title), volumes.results[total])
    observation.cancel()
  }
}
