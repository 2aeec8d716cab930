import Annals
import Foundation

/// The way in which a question uses an index.
package enum IndexUse: Sendable {
  /// The question looks at so many positions that an index doesn't help.
  case none
  /// The question uses an index if there is one.
  case existing
  /// The question looks at a few rows at a few positions, so a missing index is made.
  case made
}

/// An index of a log's events up to a position.
protocol SavedIndex {
  /// The last position that the index covers.
  var end: Position { get }
  /// A hash of the log's events and of its history.
  var stamp: UInt64 { get }
  var bytes: Data { get }
  init(_ bytes: Data) throws
}
