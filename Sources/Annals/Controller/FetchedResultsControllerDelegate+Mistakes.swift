public import Foundation

// A delegate method with two labels swapped, or with rows of type `Any` as in Core Data, would compile without a
// warning, and no controller would call it. To prevent this, the protocol requires the likely mistakes as methods with
// an inferred result type. If a delegate implements none of them, the type is `Never`, its default. If it implements
// one, the type is `Void`, and only an unavailable method satisfies the protocol. That method's message is the compile
// error.

extension FetchedResultsControllerDelegate {
  /// Provides the default for a delegate without this mistake: a row of type `Any`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: the label `newIndexPath` before `for`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?, newIndexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: the label `atIndexPath` instead of `at`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, atIndexPath indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: no parameter `newIndexPath`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: a section of type `Any`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: the label `newSectionIndex` before `for`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, newSectionIndex: Int?, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: the label `at` instead of `atSectionIndex`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: `at` instead of `atSectionIndex`, in a method with
  /// `newSectionIndex`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: the label `didChangeSection` instead of `didChange`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod { refuseCall() }

  /// Provides the default for a delegate without this mistake: `didChangeSection` instead of `didChange`, in a method
  /// with `newSectionIndex`.
  ///
  /// No controller calls this method. It exists only so that the compiler can detect the mistake.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod { refuseCall() }

  private func refuseCall() -> Never {
    preconditionFailure(
      "a controller called a delegate method that must never be called. The method exists only to detect mistakes in "
        + "a delegate. Please report this")
  }
}

extension FetchedResultsControllerDelegate where MistakenRowMethod == Never {
  /// Has no effect, because the delegate's method for rows is correct or missing.
  ///
  /// For a delegate with a mistaken method, the compiler selects an unavailable method instead, and reports an error.
  public static func refuseMistakenRowMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenRowMethod == Void {
  /// Rejects a delegate that has a method for rows with a wrong label, order or type.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(
    *, unavailable,
    message:
      "declare controller(_:didChange:at:for:newIndexPath:) with these labels and your row type: 'didChange book: Book'"
  )
  public static func refuseMistakenRowMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenSectionMethod == Never {
  /// Has no effect, because the delegate's method for sections is correct or missing.
  ///
  /// For a delegate with a mistaken method, the compiler selects an unavailable method instead, and reports an error.
  public static func refuseMistakenSectionMethod() {}
}

extension FetchedResultsControllerDelegate where MistakenSectionMethod == Void {
  /// Rejects a delegate that has a method for sections with a wrong label, order or type.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(
    *, unavailable,
    message:
      "declare controller(_:didChange:atSectionIndex:for:newSectionIndex:) with these labels and a ResultsSection<Book>"
  )
  public static func refuseMistakenSectionMethod() {}
}
