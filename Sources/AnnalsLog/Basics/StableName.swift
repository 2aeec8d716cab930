import Synchronization

/// Returns a type's name in a form that is the same in every process.
///
/// The name contains the type's module and enclosing types. It is computed once per type.
package func stableName(of type: any Any.Type) -> String {
  let id = ObjectIdentifier(type)
  if let known = names.withLock({ $0[id] }) { return known }
  var name = String(reflecting: type)
  // A private type is printed with an address, which differs between processes. Other names aren't searched, because
  // the first regular expression of a program took a tenth of its start with a saved list.
  if name.utf8.contains(UInt8(ascii: "(")) { name.replace(/\(unknown context at [^)]*\)\./, with: "") }
  names.withLock { $0[id] = name }
  return name
}

private let names = Mutex<[ObjectIdentifier: String]>([:])
