public import AnnalsLog

/// A position can be a row's id, and rows can be sorted and grouped into sections by a position.
extension Position: OrderedValue {
  /// Writes the position's number.
  public func encode(into writer: inout KeyWriter) { rawValue.encode(into: &writer) }

  /// The position's number as a section key.
  public var sectionKey: SectionKey { .int(rawValue) }
}

/// A conformance that sorts rows, or groups them into sections, by the value regardless of its subject.
///
/// In ascending order, an erased value is sorted like `nil`, before all other values.
extension Personal: OrderedValue where Value: OrderedValue {
  /// Writes the value's bytes, or the bytes of `nil` if the value was erased.
  public func encode(into writer: inout KeyWriter) { value.encode(into: &writer) }

  /// The value's section key, or the section key for `nil` if the value was erased.
  public var sectionKey: SectionKey { value.sectionKey }
}
