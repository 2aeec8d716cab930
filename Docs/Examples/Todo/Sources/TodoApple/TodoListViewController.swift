#if !os(macOS) && !os(watchOS)
  import Annals
  import Foundation
  import TodoDomain

  #if canImport(UIKit)
    import UIKit
  #endif

  /// The list in UIKit: the delegate is the one that a fetched results controller of Core Data has.
  public final class TodoListViewController: UITableViewController {
    private let model: TodoModel

    /// Shows a list.
    ///
    /// - Parameter model: The list, and what can be done with it.
    public init(model: TodoModel) {
      self.model = model
      super.init(style: .plain)
    }

    public required init?(coder: NSCoder) { fatalError("the storyboard has no such screen") }

    public override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "todo")
      model.todos.delegate = self
      try? model.todos.performFetch()
    }

    public override func numberOfSections(in tableView: UITableView) -> Int { model.todos.sections.count }

    public override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      model.todos.sections[section].count
    }

    public override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
      model.todos.sections[section].title
    }

    public override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = tableView.dequeueReusableCell(withIdentifier: "todo", for: indexPath)
      cell.textLabel?.text = model.todos.object(at: indexPath).title
      return cell
    }

    public override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      model.toggle(model.todos.object(at: indexPath))
    }

    public override func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {
      if editingStyle == .delete { model.remove(model.todos.object(at: indexPath)) }
    }
  }

  extension TodoListViewController: @MainActor FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.beginUpdates() }
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.endUpdates() }

    public func controller(
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

    public func controller(
      _ controller: FetchedResultsController<Todo>, didChange section: ResultsSection<Todo>,
      atSectionIndex index: Int, for type: FetchedResultsChangeType
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
