/// Returns a sentence about a value that isn't equal to itself, or an empty string.
///
/// Without this sentence, a law that compares such a value would report two texts that are the same.
///
/// - Parameters:
///   - name: The value's name in the sentence.
///   - value: The value.
/// - Returns: The sentence, which starts with a separator, and names the first member that isn't equal to itself.
func selfDifference<Value: Equatable>(_ name: String, _ value: Value) -> String {
  guard value != value else { return "" }
  let member = Mirror(reflecting: value).children.first { child in
    guard let value = child.value as? any Equatable else { return false }
    return differsFromItself(value)
  }
  let found =
    member.map { ", because \($0.label ?? "a member") is \(swiftSource(of: $0.value))" }
    ?? ", for example because it contains NaN"
  return ". Note that \(name) isn't equal to itself\(found)"
}

private func differsFromItself<Value: Equatable>(_ value: Value) -> Bool { value != value }
