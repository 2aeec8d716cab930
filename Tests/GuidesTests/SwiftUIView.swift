import Annals

#if canImport(SwiftUI)
  import SwiftUI
#endif

/// The code of the page on views, "SwiftUI".
enum ViewGuide {
  enum BookEvent: Event {
    case bought(id: String, title: String, shelf: String)
    case sold(id: String)
  }

  struct Book: Row {
    let id: String
    let title: String
    let shelf: String
  }

  struct Books: Projection {
    func project(_ event: BookEvent, into rows: inout Rows<Book>) {
      switch event {
      case .bought(let id, let title, let shelf): rows.insert(Book(id: id, title: title, shelf: shelf))
      case .sold(let id): rows[id] = nil
      }
    }
  }

  struct BooksView: View {
    @State private var books: FetchedResultsController<Book>

    init(store: some EventStore) {
      _books = State(
        wrappedValue: FetchedResultsController(
          store: store, projection: Books(),
          request: ListRequest(sort: [.ascending(\.title)], section: .by(\.shelf))))
    }

    var body: some View {
      List {
        if let failure = books.failure { Text("\(failure)") }
        ForEach(books.sections) { section in
          Section(section.title) {
            ForEach(section) { book in
              Text(book.title)
            }
          }
        }
        Button("Z to A") { try? books.update { $0.sort = [.descending(\.title)] } }
      }
      .task { try? await books.performFetch { _ in } }
    }
  }
}
