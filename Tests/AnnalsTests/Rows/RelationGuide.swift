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

  struct Track: Row {
    var id: Int
    var title: String
    var album: Int
  }

  enum AlbumEvent: Event {
    case added(Track)
    case albumMerged(from: Int, into: Int)
    case albumRemoved(Int)
  }

  struct Tracks: Projection {
    static let relations: [Relation<Track>] = [.index(\.album)]

    func project(_ event: AlbumEvent, into rows: inout Rows<Track>) {
      switch event {
      case .added(let track): rows.insert(track)
      case .albumMerged(let from, let into):
        for track in rows.all(where: \.album, is: from) { rows.update(track.id) { $0.album = into } }
      case .albumRemoved(let id): for track in rows.all(where: \.album, is: id) { rows[track.id] = nil }
      }
    }
  }

  static func controller(_ store: some EventStore) -> FetchedResultsController<BookLine> {
    FetchedResultsController(
      store: store, projection: Catalogue(),
      request: ListRequest(sort: [.ascending(\.title)], section: .by(\.authorName)))
  }
}
