import Foundation
import Synchronization

/// A cached check for whether rows of a type can contain NaN and still be equal to themselves.
///
/// An array or dictionary with NaN is equal to itself, because `==` first checks for object identity. But it isn't
/// equal to a copy that is built from its elements. So `row != row` doesn't detect NaN in such a collection.
final class HiddenNaN: Sendable {
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])
  /// The result of the check: 0 before the type is checked, 1 if NaN can't be hidden, 2 if NaN can be hidden.
  private let state = Atomic<UInt8>(0)

  /// Returns true if rows of a row's type can have NaN in a collection.
  ///
  /// After the first call, no lock is needed.
  func isPossible<Row: AnnalsLists.Row>(in row: Row) -> Bool {
    let known = state.load(ordering: .relaxed)
    if known != 0 { return known == 2 }
    let isPossible = Self.isPossible(in: row)
    state.store(isPossible ? 2 : 1, ordering: .relaxed)
    return isPossible
  }

  /// Returns true if rows of a row's type can have NaN in a collection.
  ///
  /// The types of the stored properties are checked, once per row type. If a value can't be inspected, such as a value
  /// of an enum, the result is true.
  static func isPossible<Row: AnnalsLists.Row>(in row: Row) -> Bool {
    let key = ObjectIdentifier(Row.self)
    if let known = known.withLock({ $0[key] }) { return known }
    let isPossible = isPossible(in: row, depth: 0)
    known.withLock { $0[key] = isPossible }
    return isPossible
  }

  private static func isPossible(in value: Any, depth: Int) -> Bool {
    let type = type(of: value)
    if let isPossible = isPossible(in: type) { return isPossible }
    let mirror = Mirror(reflecting: value)
    guard depth < 12, mirror.displayStyle == .struct || mirror.displayStyle == .tuple else { return true }
    return mirror.children.contains { isPossible(in: $0.value, depth: depth + 1) }
  }

  /// Returns the result if the type alone determines it, or `nil` if the type's stored properties must be checked.
  fileprivate static func isPossible(in type: Any.Type) -> Bool? {
    // A type without objects contains no collections.
    if isTrivial(type) || isFree(type) { return false }
    if let holder = type as? any PartHolder.Type { return holder.mayHideNaN }
    return nil
  }

  private static func isTrivial(_ type: Any.Type) -> Bool {
    func look<T>(_ type: T.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: look)
  }

  /// Returns true for a type whose values can't contain NaN.
  fileprivate static func isFree(_ type: Any.Type) -> Bool {
    if let holder = type as? any PartHolder.Type { return holder.parts.allSatisfy(isFree) }
    return type is any StringProtocol.Type || type is any BinaryInteger.Type || type is Bool.Type
      || type is Character.Type || type is UUID.Type || type is URL.Type || type is Data.Type
      || type is any CaseIterable.Type && isTrivial(type)
  }
}

/// A standard library type that contains values of other types.
private protocol PartHolder {
  static var parts: [Any.Type] { get }
  /// True if a value of the type can contain NaN and still be equal to itself.
  static var mayHideNaN: Bool { get }
}

extension PartHolder {
  fileprivate static var mayHideNaN: Bool { !parts.allSatisfy(HiddenNaN.isFree) }
}

extension Optional: PartHolder {
  fileprivate static var parts: [Any.Type] { [Wrapped.self] }
  fileprivate static var mayHideNaN: Bool { HiddenNaN.isPossible(in: Wrapped.self) ?? true }
}

extension Array: PartHolder {
  fileprivate static var parts: [Any.Type] { [Element.self] }
}

extension Set: PartHolder {
  fileprivate static var parts: [Any.Type] { [Element.self] }
}

extension Dictionary: PartHolder {
  fileprivate static var parts: [Any.Type] { [Key.self, Value.self] }
}
