// The declarations that this package uses of AppKit on macOS, and of UIKit on the other systems, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

#if !os(watchOS)
  extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }

    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }
  }
#endif

#if !os(macOS) && !os(watchOS)
  extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    public var row: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
