import Annals
import AnnalsSQLite
import Foundation

#if canImport(UIKit)
  import UIKit
#endif

#if !os(macOS) && !os(watchOS)
  final class TodosViewController: UITableViewController {
    let store: SQLiteEventStore
    let todos: FetchedResultsController<Todo>

    init(store: SQLiteEventStore) {
      self.store = store
      todos = FetchedResultsController(
        store: store, projection: Todos(),
        request: ListRequest(sort: [.ascending(\.title)], section: .by(\.state)))
      super.init(style: .plain)
    }

    required init?(coder: NSCoder) { fatalError("the storyboard has no such screen") }

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "todo")
      todos.delegate = self
      try? todos.performFetch()
    }

    override func numberOfSections(in tableView: UITableView) -> Int { todos.sections.count }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      todos.sections[section].count
    }

    override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
      todos.sections[section].title
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = tableView.dequeueReusableCell(withIdentifier: "todo", for: indexPath)
      cell.textLabel?.text = todos.object(at: indexPath).title
      return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      _ = try? store.execute(.finish(id: todos.object(at: indexPath).id), on: TodoList["home"])
    }
  }

  extension TodosViewController: @MainActor FetchedResultsControllerDelegate {
    func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.beginUpdates() }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.endUpdates() }

    func controller(
      _ controller: FetchedResultsController<Todo>, didChange todo: Todo, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      switch (type, indexPath, newIndexPath) {
      case (.insert, _, let new?): tableView.insertRows(at: [new], with: .automatic)
      case (.delete, let old?, _): tableView.deleteRows(at: [old], with: .automatic)
      case (.move, let old?, let new?): tableView.moveRow(at: old, to: new)
      case (.update, let old?, _): tableView.reloadRows(at: [old], with: .automatic)
      default: break
      }
    }

    func controller(
      _ controller: FetchedResultsController<Todo>, didChange section: ResultsSection<Todo>, atSectionIndex index: Int,
      for type: FetchedResultsChangeType
    ) {
      switch type {
      case .insert: tableView.insertSections([index], with: .automatic)
      case .delete: tableView.deleteSections([index], with: .automatic)
      case .update: tableView.reloadSections([index], with: .automatic)
      case .move: break
      }
    }
  }
#endif

#if !canImport(UIKit) && !os(macOS)
  /// The program of `Docs/Guides/01c-AScreenInUIKit.md`.
  enum AScreenInUIKit {
    @MainActor static func run(path: String) async throws {
      let store = try SQLiteEventStore(path: path)
      try await store.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
      try await store.execute(.add(id: "2", title: "Answer Ann"), on: TodoList["home"])
      let screen = TodosViewController(store: store)
      screen.viewDidLoad()
      screen.tableView.reloadData()
      print(screen.tableView.lines.joined(separator: "\n"))
      screen.tableView(screen.tableView, didSelectRowAt: IndexPath(row: 1, section: 0))
      print(screen.tableView.lines.joined(separator: "\n"))
    }
  }
#endif
