extension JSONTape {
  /// Returns the value of an object's member by its name, or `nil`.
  ///
  /// If a name occurs twice, the first member is used.
  func member(_ name: String, of object: Int) -> Int? {
    var name = name
    return name.withUTF8 { member($0, of: object) }
  }

  /// Returns the value of an object's member by the bytes of its name.
  func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
    if tokens[object].count > 16 { return indexed(name, of: object) }
    var key = object + 1
    let end = Int(tokens[object].next)
    while key < end {
      if isNamed(key, name) { return key + 1 }
      key = Int(tokens[key + 1].next)
    }
    return nil
  }

  private func isNamed(_ key: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let token = tokens[key]
    if token.kind == .plain { return Self.isEqual(bytes + Int(token.start), Int(token.count), name) }
    return withString(key) { text in
      text.baseAddress.map { Self.isEqual($0, text.count, name) } ?? name.isEmpty
    }
  }

  private static func isEqual(
    _ left: UnsafePointer<UInt8>, _ count: Int, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard count == right.count else { return false }
    var offset = 0
    while offset < count {
      if left[offset] != right[offset] { return false }
      offset += 1
    }
    return true
  }

  /// Returns a member from a table that is created at the first lookup.
  ///
  /// In an object with many members, linear searches for all members would take quadratic time.
  private func indexed(_ name: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
    func home(_ name: UnsafeBufferPointer<UInt8>, _ count: Int) -> Int {
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(name))
      return hasher.finalize() & (count - 1)
    }
    if indexes[object] == nil {
      // The table is at most half full. Its size is a power of two, so that a mask computes the slot.
      let size = 1 << (Int.bitWidth - (2 * Int(tokens[object].count) - 1).leadingZeroBitCount)
      var table = [UInt32](repeating: 0, count: size)
      var key = object + 1
      while key < Int(tokens[object].next) {
        withString(key) { name in
          var slot = home(name, size)
          while table[slot] != 0, !isNamed(Int(table[slot]), name) { slot = (slot + 1) & (size - 1) }
          if table[slot] == 0 { table[slot] = UInt32(key) }
        }
        key = Int(tokens[key + 1].next)
      }
      indexes[object] = table
    }
    guard let table = indexes[object] else { return nil }
    var slot = home(name, table.count)
    while table[slot] != 0 {
      if isNamed(Int(table[slot]), name) { return Int(table[slot]) + 1 }
      slot = (slot + 1) & (table.count - 1)
    }
    return nil
  }

  /// Returns the distinct names of an object's members in order, or `nil` if the bytes of a name are not UTF-8.
  func names(of object: Int) -> [String]? {
    var names: [String] = []
    names.reserveCapacity(Int(tokens[object].count))
    for (key, value) in members(of: object) {
      guard let name = string(key) else { return nil }
      if withString(key, { member($0, of: object) }) == value { names.append(name) }
    }
    return names
  }

  /// Returns the token of the first duplicate name in an object, or `nil` if all names are unique.
  func repeatedName(in object: Int) -> Int? {
    members(of: object).first { key, value in withString(key, { member($0, of: object) }) != value }?.key
  }

  /// Returns the tokens of an object's members in order.
  func members(of object: Int) -> some Sequence<(key: Int, value: Int)> {
    let end = Int(tokens[object].next)
    return sequence(state: object + 1) { [self] key -> (key: Int, value: Int)? in
      guard key < end else { return nil }
      defer { key = Int(tokens[key + 1].next) }
      return (key, key + 1)
    }
  }
}
