// An enum that lists its cases is ordered as they are declared, and a section of it is known by its case's name, or by
// its raw value. So a case that you add in the middle leaves all sections what they are; saved lists are made again,
// because the cases are a part of `orderVersion`.

extension OrderedValue where Self: CaseIterable {
  /// Writes the index of the case; a value that is not listed comes after all that are.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// The key of the case's name, as the case is printed.
  ///
  /// If the enum has a description of its own, or if you want to rename cases, give the enum raw values.
  public var sectionKey: SectionKey { .string(String(describing: self)) }

  /// The cases in their order.
  public static var orderVersion: String { versionOfCases(Self.self) }
}

extension OrderedValue where Self: CaseIterable & RawRepresentable, RawValue: OrderedValue {
  /// Writes the index of the case; a value that is not listed comes after all that are.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// The raw value's key.
  public var sectionKey: SectionKey { rawValue.sectionKey }

  /// The cases in their order.
  public static var orderVersion: String { versionOfCases(Self.self) }
}

private func versionOfCases<Value: OrderedValue & CaseIterable>(_ type: Value.Type) -> String {
  type.allCases.map { $0.sectionKey.description }.map { "\($0.utf8.count) \($0)" }.joined(separator: ",")
}

extension KeyWriter {
  fileprivate mutating func write<Value: OrderedValue & CaseIterable>(caseOf value: Value) {
    var index: UInt64 = 0
    for other in Value.allCases {
      if other == value { return write(word: index) }
      index += 1
    }
    write(word: .max)
    write(text: value.sectionKey.description)
  }
}
