public import Foundation

// A delegate method with two labels swapped, or with rows of type `Any` as in Core Data, would compile without a
// warning, and no controller would call it. To prevent this, the protocol requires the likely mistakes as methods with
// an inferred result type. If a delegate implements none of them, the type is `Never`, its default. If it implements
// one, the type is `Void`, and only an unavailable method satisfies the protocol. That method's message is the compile
// error.

extension FetchedResultsControllerDelegate {
  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?, newIndexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, atIndexPath indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, newSectionIndex: Int?, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides an unused default, which no controller calls.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod { refuseCall() }

  private func refuseCall() -> Never {
    preconditionFailure(
      "a controller called a delegate method that exists only to detect mistakes, which must never be called; please "
        + "report this")
  }
}

extension FetchedResultsControllerDelegate where MistakenRowMethod == Never {
  /// Accepts a delegate whose method for rows is correct or missing.
  public static func refuseMistakenRowMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenRowMethod == Void {
  /// Rejects a delegate that has a method for rows with a wrong label, order or type.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(
    *, unavailable,
    message:
      "write controller(_:didChange:at:for:newIndexPath:) in this order, with your row type: 'didChange book: Book'"
  )
  public static func refuseMistakenRowMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenSectionMethod == Never {
  /// Accepts a delegate whose method for sections is correct or missing.
  public static func refuseMistakenSectionMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenSectionMethod == Void {
  /// Rejects a delegate that has a method for sections with a wrong label, order or type.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(
    *, unavailable,
    message:
      "write controller(_:didChange:atSectionIndex:for:newSectionIndex:) in this order, with a ResultsSection<Book>"
  )
  public static func refuseMistakenSectionMethod() {}
}
