extension Rows {
  /// Creates no rows, of a projection that declares relations.
  ///
  /// - Parameter projection: The projection; ``Rows/init()`` does for one without relations.
  public init<P: Projection>(for projection: P.Type) where P.Row == Row {
    self.init(P.relations)
  }
}
