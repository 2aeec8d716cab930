/// What a key path is called in the code, nil if it has no name that stays the same from one build to the next.
///
/// Stored properties have one; what is computed is printed by its address, or by its offset where names are stripped
/// (SE-0369).
func propertyName(_ path: AnyKeyPath) -> String? {
  let name = String(describing: path)
  return name.contains("<") ? nil : name
}

/// Makes the function that reads a property, once for all rows.
///
/// A stored property is read where it lies: 0–8 ns, where the key path takes 95–220 ns (measured on Linux, Swift 6.3,
/// release). Computed properties and those of classes are read through the key path.
func propertyReader<Root, Value>(_ path: any KeyPath<Root, Value> & Sendable) -> @Sendable (Root) -> Value {
  guard let offset = MemoryLayout<Root>.offset(of: path) else { return { $0[keyPath: path] } }
  return { root in
    withUnsafeBytes(of: root) { $0.load(fromByteOffset: offset, as: Value.self) }
  }
}
