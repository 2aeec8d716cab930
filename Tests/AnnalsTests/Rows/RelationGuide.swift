import Annals

/// The code of the page on relations; RelationTests compares the two.
enum RelationGuide {
  struct Author: Row {
    var id: String
    var name: String
  }

  struct BookLine: Row {
    var id: String
    var title: String
    var author: Author.ID
    var authorName = ""
  }

  enum CatalogueEvent: Event {
    case bookAdded(id: String, title: String, author: Author.ID)
    case bookRemoved(id: String)
    case authorNamed(Author)
  }

  struct Catalogue: Projection {
    static let relations: [Relation<BookLine>] = [
      .to(Author.self, by: \.author) { book, author in book.authorName = author?.name ?? "unknown" }
    ]

    func project(_ event: CatalogueEvent, into rows: inout Rows<BookLine>) {
      switch event {
      case .bookAdded(let id, let title, let author): rows.insert(BookLine(id: id, title: title, author: author))
      case .bookRemoved(let id): rows[id] = nil
      case .authorNamed(let author): rows.relate(author)
      }
    }
  }

  static func controller(_ store: some EventStore) -> FetchedResultsController<BookLine> {
    FetchedResultsController(
      store: store, projection: Catalogue(),
      request: FetchRequest(sort: [.ascending(\.title)], section: .by(\.authorName)))
  }
}
