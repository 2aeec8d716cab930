/// The names of an enum's cases, also of those that no value was made of.
///
/// Swift writes them beside each type for `Mirror`, which needs a value. They are read here from the same place: the
/// type's metadata name its descriptor, that names the field descriptor, and that has a record for each case. The
/// layout is part of Swift's stable ABI (`TypeMetadata.rst` in the compiler's documentation).
enum EnumCases {
  /// The names, those with values first; nil of a type that is no enum, or whose names were left out of the binary.
  static func names(of type: Any.Type) -> [String]? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    // The kind is the first word, and 0x201 is an enum's. An Optional has another, and objects a pointer.
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

  /// The name of a value's case; of a value that is no enum, its type's name.
  static func name(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "\(type(of: value))" }
    if let label = mirror.children.first?.label { return label }
    // A case without values, whose description may be the app's own text.
    return "\(value)"
  }

  /// What a field that holds the distance to something points to; nil if it points to nothing.
  private static func target(of field: UnsafeRawPointer) -> UnsafeRawPointer? {
    let distance = field.load(as: Int32.self)
    return distance == 0 ? nil : field + Int(distance)
  }
}
