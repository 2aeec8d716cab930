extension Rows {
  /// Creates an empty collection of rows for a projection with relations.
  ///
  /// - Parameter projection: The projection type. If it has no relations, ``Rows/init()`` is sufficient.
  public init<P: Projection>(for projection: P.Type) where P.Row == Row {
    self.init(P.relations)
  }
}
