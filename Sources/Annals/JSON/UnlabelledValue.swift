/// A case of an enum has a value without a label beside others, and so its payload would not say what each of them is.
struct UnlabelledValue: Error {
  let caseName: String
}

/// Tells whether a key is one that the compiler makes for a value without a label, such as `_0`.
func isUnlabelled(_ key: String) -> Bool {
  let text = key.utf8
  return text.first == UInt8(ascii: "_") && text.count > 1
    && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}
