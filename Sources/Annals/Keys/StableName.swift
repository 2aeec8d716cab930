/// What a type is called, with its module and the types that it is in, in every process alike.
func stableName(of type: any Any.Type) -> String {
  // A private type is printed with an address, which is another one in each process.
  String(reflecting: type).replacing(/\(unknown context at [^)]*\)\./, with: "")
}
