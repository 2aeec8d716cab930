// The cases of an enum with a list of cases are ordered as declared, and sections are identified by the case's name
// or raw value. So a case that is added in the middle keeps the identity of all sections. Saved lists are rebuilt,
// because the cases are a part of `orderVersion`.

extension OrderedValue where Self: CaseIterable {
  /// Writes the index of the case, so that values that are missing from `allCases` are sorted last.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// The section key with the case's printed name.
  ///
  /// If the enum has a custom description, or if you want to rename cases, add raw values to the enum.
  public var sectionKey: SectionKey { .string(String(describing: self)) }

  /// A version that consists of the cases in their order, so that it changes when the order changes.
  public static var orderVersion: String { versionOfCases(Self.self) }
}

extension OrderedValue where Self: CaseIterable & RawRepresentable, RawValue: OrderedValue {
  /// Writes the index of the case, so that values that are missing from `allCases` are sorted last.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// The section key of the raw value.
  public var sectionKey: SectionKey { rawValue.sectionKey }

  /// A version that consists of the cases in their order, so that it changes when the order changes.
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
