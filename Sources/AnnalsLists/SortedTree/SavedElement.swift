import Synchronization

/// A leaf whose elements are on a page, and are decoded when a search or a loop reaches them.
final class SavedLeaf: Sendable {
  /// The saved tree that contains the leaf.
  let tree: SavedTree
  /// The summary of the page in its parent.
  let root: SavedRoot
  /// The number of elements before the leaf in the saved tree.
  let start: Int
  /// The page's bytes, until all elements are decoded, and a bit for the slot of each other element.
  private let state: Mutex<(bytes: [UInt8], unread: UInt64)>

  init(_ tree: SavedTree, _ root: SavedRoot, start: Int, _ bytes: [UInt8]) {
    (self.tree, self.root, self.start) = (tree, root, start)
    state = Mutex((bytes, ~(UInt64.max << UInt64(root.count))))
  }

  /// The page's bytes, or an empty array after all elements were decoded.
  fileprivate var bytes: [UInt8] { state.withLock { $0.bytes } }

  /// Records that an element is in memory.
  fileprivate func noteRead(_ slot: UInt16) {
    state.withLock { state in
      state.unread &= ~(1 << UInt64(slot))
      if state.unread == 0 { state.bytes = [] }
    }
  }
}

/// An element of a leaf on a page.
///
/// Copies of the leaf share this object, so the rows next to a changed row remain bytes. Decoding a whole leaf for each
/// changed row took 90 percent of the time of an event.
///
/// `@unchecked Sendable`: the element is stored once, atomically.
final class SavedElement: @unchecked Sendable {
  private let leaf: SavedLeaf
  private let start: UInt32
  private let end: UInt32
  private let slot: UInt16
  private let isStandIn = Atomic(false)
  private let loaded = AtomicLazyReference<AnyObject>()

  init(_ leaf: SavedLeaf, slot: Int, _ range: Range<Int>) {
    self.leaf = leaf
    self.slot = UInt16(slot)
    (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
  }

  /// The decoded element, which exists as long as this object.
  ///
  /// If neither the page nor the log can be read, the property returns a placeholder, and marks the list as lost. A
  /// caller that can return `nil` checks `isReadable` first.
  var element: Unmanaged<AnyObject> { .passUnretained(loaded.load() ?? read()) }

  /// True if the element is in memory or could be read now.
  var isReadable: Bool {
    _ = element
    return !isStandIn.load(ordering: .acquiring)
  }

  private func read() -> AnyObject {
    let bytes = leaf.bytes
    if bytes.isEmpty, let element = loaded.load() { return element }
    let element: AnyObject
    do {
      element = try leaf.tree.element(Int(slot), of: leaf, PageReader(bytes, Int(start)..<Int(end)))
    } catch {
      isStandIn.store(true, ordering: .releasing)
      leaf.tree.pages.lose(error)
      element = leaf.tree.standInElement
    }
    defer { leaf.noteRead(slot) }
    return loaded.storeIfNil(element)
  }

  /// The bytes of the element if it is on one of the given pages, or `nil` if the bytes were released.
  func bytes(on pages: UInt64) -> ArraySlice<UInt8>? {
    guard leaf.tree.pages.number == pages else { return nil }
    let bytes = leaf.bytes
    return bytes.isEmpty ? nil : bytes[Int(start)..<Int(end)]
  }
}
