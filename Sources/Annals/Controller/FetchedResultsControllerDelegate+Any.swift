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
  @available(
    *, unavailable,
    message: """
      a controller does not call a method for rows of type Any: write your rows' type instead, as in \
      controller(_ controller: FetchedResultsController<Book>, didChange book: Book, at indexPath: IndexPath?, \
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?)
      """
  )
  /// Makes a method for rows of type `Any` a compile error.
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
  @available(
    *, unavailable,
    message: """
      a controller does not call a method for sections of type Any: write ResultsSection and your rows' type instead, \
      as in controller(_ controller: FetchedResultsController<Book>, didChange section: ResultsSection<Book>, \
      atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType)
      """
  )
  /// Makes a method for sections of type `Any` a compile error.
  public static func refuse(sectionsOfTypeAny type: Void.Type) {}
}
