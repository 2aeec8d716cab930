// The declarations of AppKit that this package uses, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

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
