public import Foundation

// Core Data's delegate methods take rows of type `Any` and section infos. In a delegate of this library, such methods
// would compile without a warning and no controller would call them. To prevent this, the protocol requires methods
// with an inferred result type. If a delegate doesn't implement them, the type is `Never` from the methods below. If
// it implements one, the type is `Void`, and only an unavailable method satisfies the protocol. That method's message
// is the compile error.

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Never {
  /// Satisfies the protocol's requirement.
  ///
  /// No controller calls this method.
  ///
  /// - Returns: This method doesn't return.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> Never {
    preconditionFailure("a controller called the untyped delegate method instead of the typed one; please report this")
  }

  /// Accepts the delegate and does nothing.
  public static func refuse(rowsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Void {
  /// Makes a method for rows of type `Any` a compile error.
  @available(*, unavailable, message: "write your rows' type instead of Any, as in 'didChange book: Book'")
  public static func refuse(rowsOfTypeAny type: Void.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Never {
  /// Satisfies the protocol's requirement.
  ///
  /// No controller calls this method.
  ///
  /// - Returns: This method doesn't return.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> Never {
    preconditionFailure("a controller called the untyped delegate method instead of the typed one; please report this")
  }

  /// Accepts the delegate and does nothing.
  public static func refuse(sectionsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Void {
  /// Makes a method for sections of type `Any` a compile error.
  @available(*, unavailable, message: "write 'didChange section: ResultsSection<Book>' instead of Any")
  public static func refuse(sectionsOfTypeAny type: Void.Type) {}
}
