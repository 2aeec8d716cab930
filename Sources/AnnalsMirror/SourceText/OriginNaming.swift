/// An error that tells its cause from others of the same type.
package protocol OriginNaming: Error {
  /// What the cause is known by.
  var origin: String { get }
}
