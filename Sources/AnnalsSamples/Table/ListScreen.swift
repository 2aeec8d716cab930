package import Annals

/// A screen with one table.
///
/// Its data source asks the controller, as in every tutorial.
package protocol ListScreen<Row>: FetchedResultsControllerDelegate {
  /// Keeps the list.
  var controller: FetchedResultsController<Row> { get }
  /// Shows it.
  var table: ScreenTable<Row> { get }
  /// Records the delegate's calls.
  var tap: DelegateTap<Row> { get }

  /// A row as the table shows it.
  static func text(of row: Row) -> String
}

extension ListScreen {
  /// Does what viewDidLoad does: fetches, and lets the table load.
  func open() throws {
    tap.target = self
    table.dataSource = { [controller] in controller.results }
    controller.delegate = tap
    try controller.performFetch()
    table.reloadData()
  }

  /// The list as the table should show it.
  package var list: [TableSection] {
    controller.sections.map { TableSection($0.title, $0.map(Self.text)) }
  }
}
