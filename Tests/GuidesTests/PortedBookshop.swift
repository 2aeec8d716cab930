import Annals
import AnnalsSQLite
import Foundation

#if canImport(UIKit)
  import UIKit
#endif

#if !os(macOS) && !os(watchOS)
  enum PortedBookshop {
    struct Book: Row {
      let id: String
      var title: String
      var price: Double
    }

    enum BookEvent: Event {
      case stocked(Book)
      case repriced(id: String, to: Double)
      case withdrawn(id: String)
    }

    enum BookCommand {
      case stock(Book), raise(id: String, by: Double), withdraw(id: String)
    }

    struct Bookshop: Decider {
      enum Refusal: Error { case alreadyThere, notThere }
      var prices: [String: Double] = [:]

      func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
        switch command {
        case .stock(let book) where prices[book.id] != nil: throw .alreadyThere
        case .stock(let book): return [.stocked(book)]
        case .raise(let id, let amount):
          guard let price = prices[id] else { throw .notThere }
          return [.repriced(id: id, to: price + amount)]
        case .withdraw(let id) where prices[id] == nil: throw .notThere
        case .withdraw(let id): return [.withdrawn(id: id)]
        }
      }

      mutating func evolve(_ event: BookEvent) {
        switch event {
        case .stocked(let book): prices[book.id] = book.price
        case .repriced(let id, let price): prices[id] = price
        case .withdrawn(let id): prices[id] = nil
        }
      }
    }

    struct BooksForSale: Projection {
      func project(_ event: BookEvent, into rows: inout Rows<Book>) {
        switch event {
        case .stocked(let book): rows.insert(book)
        case .repriced(let id, let price): rows[id]?.price = price
        case .withdrawn(let id): rows[id] = nil
        }
      }
    }

    @MainActor static func open(_ path: String) throws -> SQLiteEventStore {
      let store = try SQLiteEventStore(path: path)
      try store.transaction(commandID: "first books") { transaction in
        for (number, (title, price)) in [("红楼梦", 50.5), ("西游记", 48.5), ("水浒传", 67.5), ("三国演义", 70)].enumerated() {
          let book = Book(id: "b\(number)", title: title, price: price)
          try transaction.execute(.stock(book), on: Bookshop["main"])
        }
      }
      return store
    }

    final class BooksViewController: UITableViewController {
      enum Swipe { case withdraw, replace, raise }

      let store: SQLiteEventStore
      let books: FetchedResultsController<Book>
      var swipe = Swipe.withdraw

      init(store: SQLiteEventStore) {
        self.store = store
        books = FetchedResultsController(
          store: store, projection: BooksForSale(),
          request: ListRequest(sort: [.ascending(\.price)], fetchBatchSize: 10), cacheName: "book")
        super.init(style: .plain)
      }

      required init?(coder: NSCoder) { fatalError("the storyboard has no such screen") }

      override func viewDidLoad() {
        super.viewDidLoad()
        books.delegate = self
        books.reportedMoves = []
        do { try books.performFetch() } catch { print("the books cannot be read: \(error)") }
      }

      override func numberOfSections(in tableView: UITableView) -> Int { books.sections.count }

      override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        books.sections[section].numberOfObjects
      }

      override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell =
          tableView.dequeueReusableCell(withIdentifier: "book")
          ?? UITableViewCell(style: .subtitle, reuseIdentifier: "book")
        configure(cell, at: indexPath)
        return cell
      }

      func configure(_ cell: UITableViewCell, at indexPath: IndexPath) {
        let book = books.object(at: indexPath)
        cell.textLabel?.text = book.title
        cell.detailTextLabel?.text = "¥\(book.price)"
      }

      override func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
      ) {
        let id = books.object(at: indexPath).id
        do {
          switch swipe {
          case .withdraw: try store.execute(.withdraw(id: id), on: Bookshop["main"])
          case .replace:
            try store.transaction { transaction in
              try transaction.execute(.withdraw(id: id), on: Bookshop["main"])
              for book in [Book(id: "b8", title: "狂人日记", price: 20), Book(id: "b9", title: "洗冤集录", price: 24.5)] {
                try transaction.execute(.stock(book), on: Bookshop["main"])
              }
            }
          case .raise: try store.execute(.raise(id: id, by: 10), on: Bookshop["main"])
          }
        } catch {
          print("the shop refuses: \(error)")
        }
      }
    }
  }

  extension PortedBookshop.BooksViewController: @MainActor FetchedResultsControllerDelegate {
    typealias Book = PortedBookshop.Book

    func controllerWillChangeContent(_ controller: FetchedResultsController<Book>) { tableView.beginUpdates() }

    func controller(
      _ controller: FetchedResultsController<Book>, didChange book: Book, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      if type == .delete, let indexPath {
        tableView.deleteRows(at: [indexPath], with: .automatic)
      } else if type == .insert, let newIndexPath {
        tableView.insertRows(at: [newIndexPath], with: .automatic)
      } else if type == .update, let indexPath {
        tableView.reloadRows(at: [indexPath], with: .automatic)
      }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) { tableView.endUpdates() }
  }
#endif

#if !canImport(UIKit) && !os(macOS)
  extension PortedBookshop {
    @MainActor static func run(_ path: String) throws {
      let screen = BooksViewController(store: try open(path))
      screen.viewDidLoad()
      screen.tableView.reloadData()
      func swipe(_ row: Int, to swipe: BooksViewController.Swipe) {
        screen.swipe = swipe
        screen.tableView(screen.tableView, commit: .delete, forRowAt: IndexPath(row: row, section: 0))
        for line in screen.tableView.lines { print(line) }
      }

      for line in screen.tableView.lines { print(line) }
      swipe(0, to: .withdraw)
      swipe(0, to: .replace)
      swipe(2, to: .raise)
      for problem in screen.tableView.problems { print(problem) }
    }
  }
#endif
