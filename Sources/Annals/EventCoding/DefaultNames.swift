import Synchronization

/// The event types and deciders that leave their stored name to the default, which is made of the type's name.
///
/// A type that declares its name means it, so two such types may share one. A default name may be an accident:
/// `Sales.Event` and `Support.Event` are both stored as `Event`. A default and a declared name can be the same string,
/// so the default's implementation notes the type.
enum DefaultNames {
  private static let types = Mutex<Set<ObjectIdentifier>>([])

  /// Notes a type whose default name is read.
  static func note(_ type: any Any.Type) {
    let id = ObjectIdentifier(type)
    types.withLock { types in
      if !types.contains(id) { types.insert(id) }
    }
  }

  /// True if a type's name is the default.
  ///
  /// Read the name first, because that notes the type.
  static func contains(_ type: any Any.Type) -> Bool { types.withLock { $0.contains(ObjectIdentifier(type)) } }
}
