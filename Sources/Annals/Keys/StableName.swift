import Synchronization

/// What a type is called, with its module and the types that it is in, in every process alike.
///
/// It is found out once for each type: the regular expression was an eighth of a start with a saved list.
func stableName(of type: any Any.Type) -> String {
  let id = ObjectIdentifier(type)
  if let known = names.withLock({ $0[id] }) { return known }
  // A private type is printed with an address, which is another one in each process.
  let name = String(reflecting: type).replacing(/\(unknown context at [^)]*\)\./, with: "")
  names.withLock { $0[id] = name }
  return name
}

private let names = Mutex<[ObjectIdentifier: String]>([:])
