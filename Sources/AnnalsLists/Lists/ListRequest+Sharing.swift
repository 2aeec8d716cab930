extension ListRequest {
  /// Takes over the identities of an equal request, so that the lists of both requests can share their storage.
  ///
  /// Requests are equal if they have the same properties as sort keys and sections, the same filter value, and the same
  /// numbers. Closures can't be compared, so two closures are equal only if they are the same value.
  ///
  /// - Parameter other: The other request.
  /// - Returns: False if the requests aren't known to be equal. This request is then unchanged.
  package mutating func adopt(_ other: PreparedRequest) -> Bool {
    guard other.rowType == ObjectIdentifier(Row.self), offset == other.offset, limit == other.limit,
      fetchBatchSize == other.batchSize, (filter == nil) == (other.includes == nil),
      filter?.parts ?? [] == other.filterParts, keyer.isSame(as: other.keyer), !keyer.rules.isByAppearance,
      aggregator.isSame(as: other.aggregator), textIndex?.search === other.textIndex?.search
    else { return false }
    share(other)
    return true
  }
}

extension PreparedRequest {
  /// A hash value, which is equal for all requests that `adopt(_:)` finds equal.
  package var sharingHash: Int {
    var hasher = Hasher()
    hasher.combine(rowType)
    hasher.combine(offset)
    hasher.combine(limit)
    for part in filterParts { part.hashIdentity(into: &hasher) }
    keyer.hashSame(into: &hasher)
    return hasher.finalize()
  }
}

extension Aggregator? {
  fileprivate func isSame(as other: Aggregator?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.keepsSame(as: other)
  }
}
