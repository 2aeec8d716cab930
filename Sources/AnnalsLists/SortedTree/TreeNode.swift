/// The header of a node.
///
/// The header has only five words, because a list has a leaf for every ten to sixteen rows.
struct TreeNodeHeader {
  /// True if the node's slots contain elements, or false if they contain nodes.
  let isLeaf: Bool
  /// True if the node is a placeholder for a lost node.
  var isStandIn = false
  private let room: UInt32
  private var used: UInt32 = 0
  /// The number of elements below the node.
  var count = 0
  /// The weight of the elements below the node.
  var weight = 0
  /// The place, which the node owns.
  ///
  /// A save on another thread sets the place of a shared node. So the reference is unmanaged: a debug build copies the
  /// whole header to read one member, and would retain a place that the save releases meanwhile.
  private var place: Unmanaged<SavedOffset>?

  init(isLeaf: Bool, capacity: Int) {
    self.isLeaf = isLeaf
    room = UInt32(capacity)
  }

  /// The maximum number of slots.
  @inline(__always)
  var capacity: Int { Int(room) }

  /// The number of slots in use.
  @inline(__always)
  var slots: Int {
    get { Int(used) }
    set { used = UInt32(truncatingIfNeeded: newValue) }
  }

  /// The page on which the node was saved in its present form, or `TreePageID.none`.
  var saved: TreePageID {
    get { place?.takeUnretainedValue().page ?? .none }
    set {
      let old = place
      place = .passRetained(SavedOffset(newValue))
      old?.release()
    }
  }

  /// Records that the node does not match a saved page.
  @inline(__always)
  mutating func forgetSaved() {
    guard let old = place else { return }
    place = nil
    old.release()
  }

  /// The place at which a node was saved.
  ///
  /// The place is a separate object, because most nodes are not saved.
  private final class SavedOffset {
    let page: TreePageID
    init(_ page: TreePageID) { self.page = page }
  }
}

/// A node of a tree: a leaf with elements, or an inner node with nodes.
///
/// If a child is on disk, its slot contains a `TreePage` instead of a node. If an element is on disk, its slot contains
/// a `SavedElement`. The lowest bit of the slot's word marks both, because an object's address never has this bit. The
/// child or element is read when a search or a loop reaches it, and its page or `SavedElement` then retains it.
///
/// A single allocation contains all data: words of 64 bits on all machines, in several columns. The length of a column
/// is the node's capacity.
///
///     leaf        heads[0…] refs[0…]
///     inner node  heads[0…] refs[0…] firsts[0…] counts[0…] weights[0…]
///
/// The first column contains the heads of the keys. The second column contains the elements or children, which the node
/// owns. In an inner node, the head is the head of the first element below the child. Three further columns contain
/// that first element, the number of elements below the child, and their weight. The child owns the first element. The
/// first element's word is 0 until the child is read.
///
/// A node is changed only while it belongs to a single tree. Every change checks this condition first. A shared node is
/// immutable.
final class TreeNode: ManagedBuffer<TreeNodeHeader, UInt64> {
  /// Creates a node without slots.
  static func make(isLeaf: Bool, capacity: Int) -> TreeNode {
    let buffer = create(minimumCapacity: capacity * (isLeaf ? 2 : 5)) { _ in
      TreeNodeHeader(isLeaf: isLeaf, capacity: capacity)
    }
    return unsafeDowncast(buffer, to: TreeNode.self)
  }

  deinit {
    let (refs, slots, isLeaf) = (self.refs, info.pointee.slots, info.pointee.isLeaf)
    fetch(0..<slots)
    for slot in 0..<slots { Self.release(refs[slot], isLeaf: isLeaf) }
    info.pointee.forgetSaved()
  }

  @inline(__always)
  private var words: UnsafeMutablePointer<UInt64> { withUnsafeMutablePointerToElements { $0 } }

  /// The header of the node.
  ///
  /// This property is a pointer, because every access to the class's own property is checked for exclusivity. Measured:
  /// the check took a seventh of a change.
  @inline(__always)
  var info: UnsafeMutablePointer<TreeNodeHeader> { withUnsafeMutablePointerToHeader { $0 } }

  /// The heads of the keys.
  @inline(__always)
  var heads: UnsafeMutablePointer<UInt64> { words }
  /// The elements or children.
  @inline(__always)
  var refs: UnsafeMutablePointer<UInt64> { words + info.pointee.capacity }
  /// The first element below every child.
  @inline(__always)
  var firsts: UnsafeMutablePointer<UInt64> { words + 2 * info.pointee.capacity }
  /// The number of elements below every child.
  @inline(__always)
  var counts: UnsafeMutablePointer<UInt64> { words + 3 * info.pointee.capacity }
  /// The weight of the elements below every child.
  @inline(__always)
  var weights: UnsafeMutablePointer<UInt64> { words + 4 * info.pointee.capacity }

  /// The head of the first element below the node.
  @inline(__always)
  var firstHead: UInt64 { heads[0] }
  /// The first element below the node, or 0 if it is not known.
  @inline(__always)
  var first: UInt64 { info.pointee.isLeaf ? refs[0] : firsts[0] }

  /// Returns the child in a slot.
  ///
  /// The child lives as long as the node.
  @inline(__always)
  func child(_ slot: Int) -> Unmanaged<TreeNode> {
    let word = refs[slot]
    return word & 1 == 0 ? Self.unmanaged(word) : Self.page(word)._withUnsafeGuaranteedRef { $0.node }
  }

  /// Returns the page that a word refers to, or `nil` if it refers to a node.
  static func pageIfAny(_ word: UInt64) -> Unmanaged<TreePage>? { word & 1 == 0 ? nil : page(word) }

  private static func page(_ word: UInt64) -> Unmanaged<TreePage> { unmanaged(word & ~1) }

  /// Returns the element in a slot of a leaf.
  ///
  /// The element lives as long as the leaf.
  @inline(__always)
  func element<Element: AnyObject>(_ slot: Int) -> Unmanaged<Element> { Self.element(refs[slot]) }

  /// Returns the element that a word refers to.
  @inline(__always)
  static func element<Element: AnyObject>(_ word: UInt64) -> Unmanaged<Element> {
    guard let saved = savedIfAny(word) else { return unmanaged(word) }
    // The element's tree made the object, so it has the tree's element type.
    return saved._withUnsafeGuaranteedRef { .fromOpaque($0.element.toOpaque()) }
  }

  /// Returns the saved element that a word refers to, or `nil` if it refers to an element in memory.
  @inline(__always)
  static func savedIfAny(_ word: UInt64) -> Unmanaged<SavedElement>? { word & 1 == 0 ? nil : unmanaged(word & ~1) }

  /// Returns the element in a slot of a leaf, whose slot no longer owns an element afterwards.
  @inline(__always)
  func take<Element: AnyObject>(_ slot: Int) -> Element {
    let word = refs[slot]
    if word & 1 == 0 { return Self.unmanaged(word).takeRetainedValue() }
    let element: Element = Self.element(word).takeUnretainedValue()
    Self.release(word, isLeaf: true)
    return element
  }

  /// Returns the word of the first element of a slot.
  @inline(__always)
  func begin(_ slot: Int) -> UInt64 {
    let word = info.pointee.isLeaf ? refs[slot] : firsts[slot]
    return word != 0 ? word : child(slot)._withUnsafeGuaranteedRef { $0.begin(0) }
  }

  /// Returns the word of an object.
  @inline(__always)
  static func word<T: AnyObject>(_ object: Unmanaged<T>) -> UInt64 { UInt64(UInt(bitPattern: object.toOpaque())) }

  @inline(__always)
  static func unmanaged<T: AnyObject>(_ word: UInt64) -> Unmanaged<T> {
    // The word of every slot in use refers to an object.
    Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: word)).unsafelyUnwrapped)
  }

  @inline(__always)
  static func release(_ word: UInt64, isLeaf: Bool) {
    // A node is a native object, but an element can be any object. Both have the same reference counting on Linux, but
    // not on Apple platforms.
    if isLeaf {
      (unmanaged(word & ~1) as Unmanaged<AnyObject>).release()
    } else if word & 1 == 0 {
      (unmanaged(word) as Unmanaged<TreeNode>).release()
    } else {
      page(word).release()
    }
  }
}

extension TreeNode {
  /// Returns the capacity for a number of slots.
  ///
  /// Small nodes get a small capacity, because there are many short lists.
  @inline(__always)
  static func capacity(for slots: Int, most: Int) -> Int {
    var capacity = 4
    while capacity < slots { capacity *= 2 }
    return min(capacity, most)
  }

  /// Reads the first words of the objects in some slots from memory, so that all reads overlap.
  ///
  /// Retaining an object is an atomic change of its first words, which later reads cannot overtake. So without this
  /// method, rows that are not in the processor's cache would be read from memory one after the other. In contrast,
  /// plain reads of all rows overlap.
  @inline(__always)
  func fetch(_ range: Range<Int>) {
    var types: UInt = 0
    let refs = refs
    for slot in range {
      // A word in use is the address of an object, possibly with its lowest bit set. The object begins with its type.
      let address = UInt(truncatingIfNeeded: refs[slot]) & ~1
      types |= UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped.load(as: UInt.self)
    }
    precondition(
      types != 0 || range.isEmpty,
      "every used slot of a tree node must refer to an object, but all of the slots refer to memory that is zero. "
        + "Please report this")
  }

  /// Appends copies of another node's slots.
  ///
  /// Afterwards, both nodes own the slots' contents.
  func append(_ range: Range<Int>, of other: TreeNode) {
    other.fetch(range)
    let (end, isLeaf) = (info.pointee.slots, info.pointee.isLeaf)
    for column in 0..<(isLeaf ? 2 : 5) {
      (words + column * info.pointee.capacity + end)
        .update(from: other.words + column * other.info.pointee.capacity + range.lowerBound, count: range.count)
    }
    let refs = refs + end
    if isLeaf {
      for slot in 0..<range.count { _ = (Self.unmanaged(refs[slot] & ~1) as Unmanaged<AnyObject>).retain() }
    } else {
      for slot in 0..<range.count {
        if let page = Self.pageIfAny(refs[slot]) {
          _ = page.retain()
        } else {
          _ = (Self.unmanaged(refs[slot]) as Unmanaged<TreeNode>).retain()
        }
      }
    }
    info.pointee.slots = end + range.count
  }

  /// Inserts a slot at an index.
  ///
  /// The new slot still contains the words of the slot that was at this index.
  @inline(__always)
  func open(_ slot: Int) {
    let slots = info.pointee.slots
    for column in 0..<(info.pointee.isLeaf ? 2 : 5) {
      let start = words + column * info.pointee.capacity + slot
      (start + 1).update(from: start, count: slots - slot)
    }
    info.pointee.slots = slots + 1
  }

  /// Removes a slot without releasing its contents.
  @inline(__always)
  func close(_ slot: Int) {
    let slots = info.pointee.slots
    for column in 0..<(info.pointee.isLeaf ? 2 : 5) {
      let start = words + column * info.pointee.capacity + slot
      start.update(from: start + 1, count: slots - slot - 1)
    }
    info.pointee.slots = slots - 1
  }

  /// Returns a copy with the given capacity.
  func copy(capacity: Int) -> TreeNode {
    let copy = TreeNode.make(isLeaf: info.pointee.isLeaf, capacity: capacity)
    copy.append(0..<info.pointee.slots, of: self)
    copy.info.pointee.count = info.pointee.count
    copy.info.pointee.weight = info.pointee.weight
    return copy
  }

  /// Updates the summary of a slot's child.
  @inline(__always)
  func summarize(_ slot: Int) {
    child(slot)._withUnsafeGuaranteedRef { child in
      heads[slot] = child.firstHead
      firsts[slot] = child.first
      counts[slot] = UInt64(child.info.pointee.count)
      weights[slot] = UInt64(bitPattern: Int64(child.info.pointee.weight))
    }
  }

  /// Appends an element to a leaf, which then owns it.
  @inline(__always)
  func appendElement(_ word: UInt64, head: UInt64) {
    let slot = info.pointee.slots
    (heads[slot], refs[slot]) = (head, word)
    info.pointee.slots = slot + 1
  }

  /// Appends a child, which the node then owns.
  func appendChild(_ child: TreeNode) {
    let slot = info.pointee.slots
    refs[slot] = TreeNode.word(Unmanaged.passRetained(child))
    info.pointee.slots = slot + 1
    summarize(slot)
    info.pointee.count += child.info.pointee.count
    info.pointee.weight += child.info.pointee.weight
  }

  /// Appends a child that is on disk, which the node then owns.
  func appendPage(_ page: TreePage) {
    let root = page.root
    let slot = info.pointee.slots
    refs[slot] = TreeNode.word(Unmanaged.passRetained(page)) | 1
    (heads[slot], firsts[slot]) = (root.head, 0)
    (counts[slot], weights[slot]) = (UInt64(root.count), UInt64(bitPattern: Int64(root.weight)))
    info.pointee.slots = slot + 1
    info.pointee.count += root.count
    info.pointee.weight += root.weight
  }

  /// Returns the child in a slot, after copying it if it is shared.
  @inline(__always)
  func ownChild(_ slot: Int, room: Int, most: Int) -> Unmanaged<TreeNode> {
    if refs[slot] & 1 != 0 { takeOut(slot, room: room, most: most) }
    // The slot's word is the reference. If references have four bytes, the reference is the low half of the word, which
    // is first on all little-endian machines.
    let child = UnsafeMutableRawPointer(refs + slot).assumingMemoryBound(to: TreeNode.self)
    let (slots, capacity) = (child.pointee.info.pointee.slots, child.pointee.info.pointee.capacity)
    if !isKnownUniquelyReferenced(&child.pointee) || (slots + room > capacity && capacity < most) {
      let wanted = TreeNode.capacity(for: min(slots + room, most), most: most)
      child.pointee = child.pointee.copy(capacity: wanted)
    }
    // A changed node no longer matches the saved node.
    child.pointee.info.pointee.forgetSaved()
    return Self.unmanaged(refs[slot])
  }

  /// Replaces a page in a slot with a copy of its node.
  private func takeOut(_ slot: Int, room: Int, most: Int) {
    let node = child(slot).takeUnretainedValue()
    let copy = node.copy(capacity: TreeNode.capacity(for: min(node.info.pointee.slots + room, most), most: most))
    Self.release(refs[slot], isLeaf: false)
    refs[slot] = TreeNode.word(Unmanaged.passRetained(copy))
  }
}
