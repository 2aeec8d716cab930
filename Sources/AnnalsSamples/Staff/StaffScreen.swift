package import Annals
package import Foundation

/// The table of a company's staff.
///
/// For an update, its delegate sets the cell's text from the controller's row.
package final class StaffScreen: ListScreen {
  package let controller: FetchedResultsController<Employee>
  package let table = ScreenTable(StaffScreen.text)
  package let tap = DelegateTap(StaffScreen.text)
  private let store: any EventStore

  package init(_ store: some EventStore) throws {
    self.store = store
    controller = FetchedResultsController(store: store, projection: Employees(), request: .bySection)
    try open()
  }

  package static func text(of employee: Employee) -> String {
    let born = employee.birthday.formatted(.iso8601.year().month().day())
    return "\(employee.name), \(employee.height) m, born \(born)"
  }

  /// Deletes a swiped row, by getting the row at the index path and executing a command for it.
  package func delete(at indexPath: IndexPath) throws {
    try store.execute(.dismiss(id: controller.object(at: indexPath).id), on: Staff["main"])
  }
}

extension StaffScreen: FetchedResultsControllerDelegate {
  package func controllerWillChangeContent(_ controller: FetchedResultsController<Employee>) {
    table.beginUpdates()
  }

  package func controller(
    _ controller: FetchedResultsController<Employee>, didChange section: ResultsSection<Employee>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    switch type {
    case .insert: table.insertSection(sectionIndex)
    case .delete: table.deleteSection(sectionIndex)
    // Core Data doesn't have this change. Update a header like a cell.
    case .update: table.setTitle(section.title, ofSection: sectionIndex)
    case .move: break
    }
  }

  package func controller(
    _ controller: FetchedResultsController<Employee>, didChange employee: Employee, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, .some(let path)): table.insertRow(at: path)
    case (.delete, .some(let path), _): table.deleteRow(at: path)
    case (.update, .some(let path), _): table.setContent(controller.object(at: path), at: path)
    case (.move, .some(let old), .some(let new)):
      table.deleteRow(at: old)
      table.insertRow(at: new)
    default: break
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
    table.endUpdates()
  }

  package func controller(
    _ controller: FetchedResultsController<Employee>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    "sectionName \(sectionName)"
  }
}
