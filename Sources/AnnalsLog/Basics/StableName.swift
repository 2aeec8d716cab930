import Synchronization

/// Returns a type's name in a form that is the same in every process.
///
/// The name contains the type's module and enclosing types. It is computed once per type, because its regular
/// expression took an eighth of the time of a program's start with a saved list.
package func stableName(of type: any Any.Type) -> String {
  let id = ObjectIdentifier(type)
  if let known = names.withLock({ $0[id] }) { return known }
  // A private type is printed with an address, which differs between processes.
  let name = String(reflecting: type).replacing(/\(unknown context at [^)]*\)\./, with: "")
  names.withLock { $0[id] = name }
  return name
}

private let names = Mutex<[ObjectIdentifier: String]>([:])
