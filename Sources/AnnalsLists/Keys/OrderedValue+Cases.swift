// The cases of a `CaseIterable` enum are ordered as declared, but sections are identified by the case's name or raw
// value. So if a case is added in the middle, all sections keep their identity. Saved lists are rebuilt, because the
// cases are a part of `orderVersion`.

extension OrderedValue where Self: CaseIterable {
  /// Writes the case's index in `allCases`.
  ///
  /// Values that are missing from `allCases` are sorted last.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// A section key made from the string that describes the case, by default the case's name.
  ///
  /// If you rename the case or change its description, the key changes. If you want to rename cases without changing
  /// their keys, give the cases raw values, and don't change these raw values.
  public var sectionKey: SectionKey { .string(String(describing: self)) }

  /// The version of the enum's sort order, made from all cases in the order of `allCases`.
  ///
  /// If you add, remove or reorder cases, the version changes. Saved lists that depend on this sort order are then
  /// rebuilt.
  public static var orderVersion: String { versionOfCases(Self.self) }
}

extension OrderedValue where Self: CaseIterable & RawRepresentable, RawValue: OrderedValue {
  /// Writes the case's index in `allCases`.
  ///
  /// Values that are missing from `allCases` are sorted last.
  public func encode(into writer: inout KeyWriter) { writer.write(caseOf: self) }

  /// The raw value's section key.
  public var sectionKey: SectionKey { rawValue.sectionKey }

  /// The version of the enum's sort order, made from all cases in the order of `allCases`.
  ///
  /// If you add, remove or reorder cases, the version changes. Saved lists that depend on this sort order are then
  /// rebuilt.
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
