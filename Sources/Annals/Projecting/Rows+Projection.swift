extension Rows {
  /// Creates an empty collection of rows for a projection with relations.
  ///
  /// Use the collection to build rows yourself, for example in a test.
  ///
  /// - Parameter projection: The projection type. If it has no relations, ``Rows/init()`` is sufficient.
  public init<P: Projection>(for projection: P.Type) where P.Row == Row {
    self.init(P.relations)
  }
}
