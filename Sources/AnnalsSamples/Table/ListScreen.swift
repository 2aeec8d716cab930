package import Annals

/// A screen with one table.
///
/// The table's data source gets the rows from the controller, as in most tutorials.
package protocol ListScreen<Row>: FetchedResultsControllerDelegate {
  /// The controller of the list.
  var controller: FetchedResultsController<Row> { get }
  /// The table that shows the list.
  var table: ScreenTable<Row> { get }
  /// The recorder of the delegate's calls.
  var tap: DelegateTap<Row> { get }

  /// Returns a row's text in the table.
  static func text(of row: Row) -> String
}

extension ListScreen {
  /// Fetches the list and loads the table, as an app does in `viewDidLoad`.
  func open() throws {
    tap.target = self
    table.dataSource = { [controller] in controller.results }
    controller.delegate = tap
    try controller.performFetch()
    table.reloadData()
  }

  /// The list that the table should show.
  package var list: [TableSection] {
    controller.sections.map { TableSection($0.title, $0.map(Self.text)) }
  }
}
