package import Annals
package import Foundation

/// A screen with one table.
///
/// Its data source asks the controller, as in every tutorial.
package protocol ListScreen<Row>: TableDataSource, FetchedResultsControllerDelegate {
  /// Keeps the list.
  var controller: FetchedResultsController<Row> { get }
  /// Shows it.
  var table: StrictTable { get }
  /// Records the delegate's calls.
  var tap: DelegateTap<Row> { get }

  /// A row as the table shows it.
  static func text(of row: Row) -> String
}

extension ListScreen {
  /// Does what viewDidLoad does: fetches, and lets the table load.
  func open() throws {
    tap.target = self
    table.dataSource = self
    controller.delegate = tap
    try controller.performFetch()
    table.reloadData()
  }

  /// The list as the table should show it.
  package var list: [StrictTable.Section] {
    controller.sections.map { StrictTable.Section($0.title, $0.map(Self.text)) }
  }

  package func numberOfSections(in table: StrictTable) -> Int { controller.sections.count }

  package func table(_ table: StrictTable, numberOfRowsInSection section: Int) -> Int {
    controller.sections[section].count
  }

  package func table(_ table: StrictTable, titleForHeaderInSection section: Int) -> String {
    controller.sections[section].title
  }

  package func table(_ table: StrictTable, textForRowAt indexPath: IndexPath) -> String {
    Self.text(of: controller.object(at: indexPath))
  }
}
