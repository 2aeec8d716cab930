/// An error whose cause distinguishes it from other errors of the same type.
package protocol OriginNaming: Error {
  /// The name of the cause.
  var origin: String { get }
}
