/// An error for an enum case that has an unlabelled value next to other values, so that its payload would be
/// ambiguous.
struct UnlabelledValue: Error {
  let caseName: String
}

/// Returns whether a key has the form that the compiler generates for an unlabelled value, such as `_0`.
func isUnlabelled(_ key: String) -> Bool {
  let text = key.utf8
  return text.first == UInt8(ascii: "_") && text.count > 1
    && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}
