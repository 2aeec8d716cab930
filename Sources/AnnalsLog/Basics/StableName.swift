import Synchronization

/// Returns a type's name in a form that is the same in every process.
///
/// The name contains the type's module and enclosing types. It is computed once per type.
package func stableName(of type: any Any.Type) -> String {
  let id = ObjectIdentifier(type)
  let known = names.withLock { names -> String? in
    let place = names.firstIndexInOrder { $0.id >= id }
    return place < names.count && names[place].id == id ? names[place].name : nil
  }
  if let known { return known }
  // `String(reflecting:)` returns the same name, but first searches the program for conformances of the metatype.
  let name = withoutAddresses(_typeName(type, qualified: true))
  // If another thread has added the name, the array contains it twice.
  names.withLock { names in names.insert((id, name), at: names.firstIndexInOrder { $0.id >= id }) }
  return name
}

/// Returns a type's name without its module and enclosing types, as `String(describing:)` does.
///
/// That function first searches the program for conformances of the metatype, which took a thirtieth of a program's
/// start with a saved list.
package func shortName(of type: any Any.Type) -> String { _typeName(type, qualified: false) }

/// Removes the addresses from a type's name, with which a private type is printed and which differ between processes.
///
/// It uses no regular expression, because the first one of a program took a tenth of its start with a saved list.
private func withoutAddresses(_ name: String) -> String {
  let beginning = "(unknown context at "
  guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
  var (rest, kept) = (name.utf8[...], Substring())
  while let open = rest.firstIndex(of: UInt8(ascii: "(")) {
    guard rest[open...].starts(with: beginning.utf8), let close = rest[open...].firstIndex(of: UInt8(ascii: ")")),
      rest[close...].starts(with: ").".utf8)
    else {
      let next = rest.index(after: open)
      kept += Substring(rest[..<next])
      rest = rest[next...]
      continue
    }
    kept += Substring(rest[..<open])
    rest = rest[close...].dropFirst(2)
  }
  return String(kept + Substring(rest))
}

/// The names of types, in the order of the types' identifiers.
///
/// An app uses few types, and the type of a dictionary is made at the start of a program. But a process with a thousand
/// types, such as a test run, spent 3 % of its time searching an array without an order.
private let names = Mutex<[(id: ObjectIdentifier, name: String)]>([])
