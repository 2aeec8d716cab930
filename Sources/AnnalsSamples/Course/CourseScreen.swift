package import Annals
package import Foundation

/// The table of a course.
///
/// Its delegate handles all row changes, and insertions and deletions of sections.
///
/// The delegate doesn't handle changed titles, so a header shows its new title only after the next reload. Core Data's
/// controller never reports changed titles.
package final class CourseScreen: ListScreen {
  package let controller: FetchedResultsController<Lesson>
  package let table = ScreenTable(CourseScreen.text)
  package let tap = DelegateTap(CourseScreen.text)

  package init(_ store: some EventStore, course: Int, request: ListRequest<Lesson>? = nil) throws {
    controller = FetchedResultsController(
      store: store, projection: CourseOutline(course: course), request: request ?? .outline(of: course))
    try open()
  }

  package static func text(of lesson: Lesson) -> String { "\(lesson.chapter).\(lesson.number) \(lesson.title)" }
}

extension CourseScreen: FetchedResultsControllerDelegate {
  package func controllerWillChangeContent(_ controller: FetchedResultsController<Lesson>) {
    table.beginUpdates()
  }

  package func controller(
    _ controller: FetchedResultsController<Lesson>, didChange section: ResultsSection<Lesson>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    switch type {
    case .insert: table.insertSection(sectionIndex)
    case .delete: table.deleteSection(sectionIndex)
    case .move, .update: break
    }
  }

  package func controller(
    _ controller: FetchedResultsController<Lesson>, didChange lesson: Lesson, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, .some(let path)): table.insertRow(at: path)
    case (.delete, .some(let path), _): table.deleteRow(at: path)
    case (.update, .some(let path), _): table.reloadRow(at: path)
    case (.move, .some(let old), .some(let new)):
      table.deleteRow(at: old)
      table.insertRow(at: new)
    default: break
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController<Lesson>) {
    table.endUpdates()
  }
}
