import Foundation

/// Returns a value's description for a message, without exhausting a small stack.
///
/// The standard library describes a value by recursion and needs about 600 bytes of stack per level. On Apple's
/// systems, a secondary thread has 512 KB of stack, so the description of an enum with 840 nested levels crashed the
/// process. Therefore, this function first counts the levels without recursion. A value with more levels than permitted
/// is described only by its type and its case, such as `Refusal.tree(…)`.
///
/// A custom description is used as it is. A `DecodingError` is described by a sentence that names the member.
///
/// - Parameters:
///   - value: The value.
///   - maximumLength: The number of Unicode scalars to which a longer description is shortened.
///   - maximumLevels: The number of levels above which the value is described only by its type and its case.
/// - Returns: The description.
/// - Complexity: O(n) for n nested values.
package func described(_ value: Any, maximumLength: Int = 10_000, maximumLevels: Int = 64) -> String {
  if let error = value as? DecodingError { return error.sentence.shortened(to: maximumLength) }
  guard hasMoreLevels(value, than: maximumLevels) else { return "\(value)".shortened(to: maximumLength) }
  if case .invalidValue(let invalid, let context)? = value as? EncodingError {
    return "EncodingError.invalidValue: \(described(invalid)). Debug description: "
      + context.debugDescription.shortened(to: maximumLength)
  }
  let mirror = Mirror(reflecting: value)
  let name = mirror.displayStyle == .enum ? mirror.children.first?.label : nil
  return "\(type(of: value))" + (name.map { "." + $0 } ?? "") + "(…)"
}

/// Returns a value's description without shortening it, for a comparison with the description of another value.
///
/// A shortened description might not contain the difference. The levels are still limited, because the standard
/// library's recursion would crash the process at 840 levels.
package func describedWhole(_ value: Any) -> String { described(value, maximumLength: .max, maximumLevels: 512) }

/// Returns an error's sentence for the user, or its description if the error has no sentence.
package func sentence(of error: any Error) -> String {
  (error as? any LocalizedError)?.errorDescription ?? described(error)
}

/// Returns whether the description of a value would have more levels than the given number.
private func hasMoreLevels(_ value: Any, than levels: Int) -> Bool {
  // For each level, the values that were not visited yet.
  var open = [describedParts(of: value).makeIterator()]
  while let level = open.indices.last {
    guard let part = open[level].next() else {
      open.removeLast()
      continue
    }
    let parts = describedParts(of: part.value)
    if parts.isEmpty { continue }
    if open.count == levels { return true }
    open.append(parts.makeIterator())
  }
  return false
}

/// Returns the values that the standard library describes in a value's description.
private func describedParts(of value: Any) -> Mirror.Children {
  let none = Mirror.Children([])
  if value is any BinaryInteger || value is any StringProtocol { return none }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional, .tuple, .collection, .set, .dictionary: return mirror.children
  case .struct, .enum, nil:
    // Two custom descriptions contain the descriptions of any values.
    if value is EncodingError || type(of: value) == AnyHashable.self { return mirror.children }
    return value is any CustomStringConvertible || value is any CustomDebugStringConvertible ? none : mirror.children
  // An object is described by its type's name.
  default: return none
  }
}
