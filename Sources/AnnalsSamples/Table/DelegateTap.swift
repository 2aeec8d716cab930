package import Annals
package import Foundation

/// A delegate that records its calls and forwards them to a screen's delegate.
package final class DelegateTap<Row: Annals.Row>: FetchedResultsControllerDelegate {
  /// The calls so far, one per line.
  package private(set) var notes: [String] = []
  /// The delegate that receives the calls.
  package weak var target: (any FetchedResultsControllerDelegate<Row>)?
  private let text: (Row) -> String

  package init(_ text: @escaping (Row) -> String) {
    self.text = text
  }

  /// Returns the recorded calls and clears them.
  package func takeNotes() -> [String] {
    defer { notes = [] }
    return notes
  }

  package func controllerWillChangeContent(_ controller: FetchedResultsController<Row>) {
    notes.append("will change")
    target?.controllerWillChangeContent(controller)
  }

  package func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) {
    let place = newSectionIndex.map { $0 == sectionIndex ? "" : " → \($0)" } ?? ""
    notes.append("\(type) section \(sectionIndex)\(place) \(section.title)")
    target?.controller(
      controller, didChange: section, atSectionIndex: sectionIndex, for: type, newSectionIndex: newSectionIndex)
  }

  package func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    var places = [indexPath, newIndexPath].compactMap { $0.flatMap { RowPath($0) }?.description }
    if type == .update { places = [places[0]] }
    notes.append("\(type) \(places.joined(separator: " → ")) \(text(row))")
    target?.controller(controller, didChange: row, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController<Row>) {
    notes.append("did change")
    target?.controllerDidChangeContent(controller)
  }

  package func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    target?.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }
}
