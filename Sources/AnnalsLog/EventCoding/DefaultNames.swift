import Synchronization

/// The event types and deciders with a default stored name, which is derived from the type's name.
///
/// A declared name is intentional, so two types may declare the same name. But two types can share a default name by
/// accident. For example, `Sales.Event` and `Support.Event` are both stored as `Event`. Because a default name can
/// equal a declared name, a comparison of strings can't detect default names. Instead, the code that returns a default
/// name records the type.
package enum DefaultNames {
  private static let types = Mutex<Set<ObjectIdentifier>>([])

  /// Records a type when its default name is read.
  package static func note(_ type: any Any.Type) {
    let id = ObjectIdentifier(type)
    types.withLock { types in
      if !types.contains(id) { types.insert(id) }
    }
  }

  /// Returns true if a type's name is the default.
  ///
  /// Read the type's name before you call this function, because reading a default name records the type.
  static func contains(_ type: any Any.Type) -> Bool { types.withLock { $0.contains(ObjectIdentifier(type)) } }
}
