public import Foundation

// UIKit declares `section`, `row` and `item`, except on watchOS. AppKit declares `section` and `item`. On other
// platforms an index path has none of them. Members of the platform aren't redeclared here, so import UIKit or AppKit
// to use them.

#if !canImport(UIKit) || os(watchOS)
  extension IndexPath {
    /// The row's index in its section, which is the index path's second index.
    public var row: Int { self[1] }

    /// Creates the index path of a row.
    ///
    /// - Parameters:
    ///   - row: The row's index in its section.
    ///   - section: The section's index.
    public init(row: Int, section: Int) {
      self.init(indexes: [section, row])
    }
  }

  #if !canImport(AppKit)
    extension IndexPath {
      /// The section's index, which is the index path's first index.
      public var section: Int { self[0] }

      /// The item's index in its section, which is the index path's second index.
      public var item: Int { self[1] }

      /// Creates the index path of an item.
      ///
      /// - Parameters:
      ///   - item: The item's index in its section.
      ///   - section: The section's index.
      public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
      }
    }
  #endif
#endif

extension IndexPath {
  /// Creates an index path with the same indices as a ``RowPath``.
  ///
  /// - Parameter path: The row's path.
  public init(_ path: RowPath) {
    self.init(indexes: [path.section, path.row])
  }
}

extension RowPath {
  /// Creates a path with the same indices as an index path, or returns `nil` if the index path doesn't have two
  /// indices.
  ///
  /// - Parameter indexPath: The index path, with a section's index followed by a row's index in that section.
  public init?(_ indexPath: IndexPath) {
    guard indexPath.count == 2 else { return nil }
    self.init(section: indexPath[0], row: indexPath[1])
  }
}
