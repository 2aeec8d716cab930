public import Foundation

// Core Data's delegate methods take rows of type `Any` and section infos. In a delegate of this library, such methods
// would compile without a warning and no controller would call them. To prevent this, the protocol requires methods
// with an inferred result type. If a delegate doesn't implement them, the type is `Never` from the methods below. If
// it implements one, the type is `Void`, and only an unavailable method satisfies the protocol. That method's message
// is the compile error.

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Never {
  /// Provides an unused default for the delegate method that takes rows of type `Any`.
  ///
  /// The default shows the compiler that your delegate doesn't have such a method. No controller calls this method.
  ///
  /// - Returns: This method never returns.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> Never {
    preconditionFailure(
      "a controller called the delegate method for rows of type Any, which must never be called; please report this")
  }

  /// Accepts a delegate that has no method for rows of type `Any`.
  ///
  /// Don't implement this method.
  public static func refuse(rowsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Void {
  /// Rejects a delegate that has a method for rows of type `Any`, because no controller would call that method.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(*, unavailable, message: "write your row type instead of Any, for example 'didChange book: Book'")
  public static func refuse(rowsOfTypeAny type: Void.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Never {
  /// Provides an unused default for the delegate method that takes sections of type `Any`.
  ///
  /// The default shows the compiler that your delegate doesn't have such a method. No controller calls this method.
  ///
  /// - Returns: This method never returns.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> Never {
    preconditionFailure(
      "a controller called the delegate method for sections of type Any, which must never be called; please report "
        + "this")
  }

  /// Accepts a delegate that has no method for sections of type `Any`.
  ///
  /// Don't implement this method.
  public static func refuse(sectionsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Void {
  /// Rejects a delegate that has a method for sections of type `Any`, because no controller would call that method.
  ///
  /// This method is unavailable, so the compiler reports such a delegate as an error.
  @available(*, unavailable, message: "write your section type, for example 'didChange section: ResultsSection<Book>'")
  public static func refuse(sectionsOfTypeAny type: Void.Type) {}
}
