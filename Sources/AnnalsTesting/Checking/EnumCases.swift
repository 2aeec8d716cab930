/// The names of an enum's cases, including cases for which no value exists.
///
/// `Mirror` reads the names from the type's metadata, but needs a value. This code reads the same data without a value:
/// the metadata points to the type descriptor, which points to the field descriptor with a record for every case. The
/// layout is part of Swift's stable ABI (`TypeMetadata.rst` in the compiler's documentation).
enum EnumCases {
  /// Returns the names, starting with the cases that have associated values, or `nil` if the type isn't an enum or the
  /// binary has no names.
  static func names(of type: Any.Type) -> [String]? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    // The first word is the kind, which is 0x201 for an enum. `Optional` has another kind, and a class has a pointer
    // instead of a kind.
    guard metadata.load(as: UInt.self) == 0x201 else { return nil }
    #if _ptrauth(_arm64e)
      return nil
    #else
      let descriptor = metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
      guard let fields = target(of: descriptor + 16) else { return nil }
      let (size, count) = (
        fields.load(fromByteOffset: 10, as: UInt16.self), fields.load(fromByteOffset: 12, as: UInt32.self)
      )
      let names = (0..<Int(count)).compactMap { index -> String? in
        target(of: fields + 16 + index * Int(size) + 8).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      }
      return names.count == Int(count) && !names.isEmpty ? names : nil
    #endif
  }

  /// Returns the name of a value's case, or the name of its type if it isn't an enum.
  static func name(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "\(type(of: value))" }
    if let label = mirror.children.first?.label { return label }
    // A mirror has no label for a case without associated values, so this is the description, which can be custom.
    return "\(value)"
  }

  /// Returns the target of a field that contains a relative offset, or `nil` if the offset is zero.
  private static func target(of field: UnsafeRawPointer) -> UnsafeRawPointer? {
    let distance = field.load(as: Int32.self)
    return distance == 0 ? nil : field + Int(distance)
  }
}
