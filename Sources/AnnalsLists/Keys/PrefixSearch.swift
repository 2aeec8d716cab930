import Foundation

/// A search for the values that begin with a string, among sorted values.
struct PrefixSearch<Value> {
  /// The first bytes that the keys of all found values have in common.
  ///
  /// Keys of other values can also begin with these bytes. In this case, ``place`` distinguishes the found values from
  /// the other values.
  var bytes: [UInt8] = []
  /// A closure that returns whether a value is before, among or after the found values, or `nil` if the bytes suffice.
  var place: ((Value) -> ComparisonResult)?

  /// The same search for values in descending order.
  var descending: PrefixSearch {
    PrefixSearch(
      bytes: bytes.map { ~$0 },
      place: place.map { place in { ComparisonResult(rawValue: -place($0).rawValue) ?? .orderedSame } })
  }

  /// Returns the same search for the owners of the values.
  func reading<Owner>(_ read: @escaping (Owner) -> Value) -> PrefixSearch<Owner> {
    PrefixSearch<Owner>(bytes: bytes, place: place.map { place in { place(read($0)) } })
  }
}
