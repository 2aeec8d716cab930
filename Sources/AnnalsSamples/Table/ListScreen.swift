package import Annals

/// A screen with one table, whose data source asks the controller, as every tutorial's does.
package protocol ListScreen<Row>: FetchedResultsControllerDelegate {
  /// Keeps the list.
  var controller: FetchedResultsController<Row> { get }
  /// Shows it.
  var table: ScreenTable<Row> { get }
  /// Notes what the delegate hears.
  var tap: DelegateTap<Row> { get }

  /// A row as the table shows it.
  static func text(of row: Row) -> String
}

extension ListScreen {
  /// What viewDidLoad does: fetches, and lets the table load what there is.
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
