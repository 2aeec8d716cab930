public import Foundation

// A delegate of Core Data's has methods for rows of type `Any` and for section infos. In a delegate of ours they would
// be methods like any other, which no controller calls, and the compiler would say nothing. So the protocol asks for
// them with a result that is inferred: `Never` from the methods below if a delegate has none of them, and `Void` from a
// delegate that has one. With `Void` only an unavailable method satisfies the protocol, and its message is the compile
// error.

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Never {
  /// Is not called.
  ///
  /// - Returns: Nothing.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> Never {
    preconditionFailure("controllers call the method with the rows' type; please report this")
  }

  /// Does nothing: all is well.
  public static func refuse(rowsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where RowsOfTypeAny == Void {
  /// Makes a method for rows of type `Any` a compile error.
  @available(*, unavailable, message: "write your rows' type instead of Any, as in 'didChange book: Book'")
  public static func refuse(rowsOfTypeAny type: Void.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Never {
  /// Is not called.
  ///
  /// - Returns: Nothing.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> Never {
    preconditionFailure("controllers call the method with the sections' type; please report this")
  }

  /// Does nothing: all is well.
  public static func refuse(sectionsOfTypeAny type: Never.Type) {}
}

extension FetchedResultsControllerDelegate where SectionsOfTypeAny == Void {
  /// Makes a method for sections of type `Any` a compile error.
  @available(*, unavailable, message: "write 'didChange section: ResultsSection<Book>' instead of Any")
  public static func refuse(sectionsOfTypeAny type: Void.Type) {}
}
