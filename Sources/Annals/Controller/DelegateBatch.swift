import Foundation

/// A delivery of one batch of changes to a controller's delegate.
///
/// A delegate that is removed or replaced inside a callback doesn't receive the rest of the batch.
struct DelegateBatch<Row: Annals.Row> {
  typealias Delegate = any FetchedResultsControllerDelegate<Row>

  private let controller: FetchedResultsController<Row>
  private let delegate: Delegate
  /// The number of delegate replacements when the batch began.
  private let number: Int

  init(_ controller: FetchedResultsController<Row>, to delegate: Delegate) {
    (self.controller, self.delegate, number) = (controller, delegate, controller.audience.delegateNumber)
  }

  /// True unless the delegate was removed or replaced.
  private var isCurrent: Bool { controller.audience.delegateNumber == number }

  /// Shows the new list and calls the delegate's methods.
  func deliver(_ changes: Changes<Row>) {
    deliverStructure(changes)
    deliverContent(changes)
    if !changes.aggregates.isEmpty, isCurrent {
      delegate.controller(controller, didChangeAggregates: changes.aggregates)
    }
    guard isCurrent else { return }
    delegate.controller(controller, didChangeContentWith: changes.new)
    if type(of: delegate).takesDifferences, isCurrent {
      delegate.controller(controller, didChangeContentWith: changes.difference)
    }
  }

  private func deliverStructure(_ changes: Changes<Row>) {
    let rows = changes.rowChanges
    let isEmpty =
      changes.sections.allSatisfy { if case .update = $0 { true } else { false } } && !rows.hasStructure
    if !isEmpty, isCurrent { delegate.controllerWillChangeContent(controller) }
    controller.show(changes.new)
    guard !isEmpty else { return }
    for change in changes.sections where isCurrent {
      switch change {
      case .delete(let index, _): notify(changes.old.sections[index], index, .delete, nil)
      case .insert(let index, _, _): notify(changes.new.sections[index], index, .insert, nil)
      case .move(let from, let to, _): notify(changes.new.sections[to], from, .move, to)
      case .update: break
      }
    }
    rows.structure { row, from, to in notify(row, from, from == nil ? .insert : to == nil ? .delete : .move, to) }
    if isCurrent { delegate.controllerDidChangeContent(controller) }
  }

  private func deliverContent(_ changes: Changes<Row>) {
    guard isCurrent else { return }
    var sections: [Int] = []
    for change in changes.sections {
      if case .update(_, let newIndex, _, _) = change { sections.append(newIndex) }
    }
    if sections.isEmpty && !changes.rowChanges.hasContent { return }
    delegate.controllerWillChangeContent(controller)
    for index in sections where isCurrent { notify(changes.new.sections[index], index, .update, index) }
    changes.rowChanges.content { row, path in notify(row, path, .update, path) }
    if isCurrent { delegate.controllerDidChangeContent(controller) }
  }

  private func notify(_ section: ResultsSection<Row>, _ index: Int, _ type: FetchedResultsChangeType, _ new: Int?) {
    delegate.controller(controller, didChange: section, atSectionIndex: index, for: type, newSectionIndex: new)
  }

  /// Notifies the delegate of a row, or returns false if the batch no longer has a delegate.
  private func notify(_ row: Row, _ path: RowPath?, _ type: FetchedResultsChangeType, _ newPath: RowPath?) -> Bool {
    guard isCurrent else { return false }
    delegate.controller(
      controller, didChange: row, at: path.map { IndexPath($0) }, for: type,
      newIndexPath: newPath.map { IndexPath($0) })
    return true
  }
}
