public import Foundation

// UIKit brings `section`, `row` and `item`, but not to watchOS, and AppKit brings `section` and `item`; elsewhere an
// index path has none of them. What a platform brings is not declared here a second time: there you import UIKit or
// AppKit to use it.

#if !canImport(UIKit) || os(watchOS)
  extension IndexPath {
    /// The second index: the row in its section.
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
      /// The first index: the section.
      public var section: Int { self[0] }

      /// The second index: the item in its section.
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
  /// Creates the index path of a row's path.
  ///
  /// - Parameter path: The path.
  public init(_ path: RowPath) {
    self.init(indexes: [path.section, path.row])
  }
}

extension RowPath {
  /// Creates the path of a row's index path.
  ///
  /// - Parameter indexPath: A section's index and a row's index in it; nil is answered for one of another length.
  public init?(_ indexPath: IndexPath) {
    guard indexPath.count == 2 else { return nil }
    self.init(section: indexPath[0], row: indexPath[1])
  }
}
