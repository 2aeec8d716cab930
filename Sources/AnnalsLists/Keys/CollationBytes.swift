// The source of the bytes by which strings are sorted in a language. Only this file checks the platform. All other
// code uses the common interface: `of`, `compare`, `write`, `version`, `areLasting` and `beginning(of:)`.
#if os(Linux) && canImport(_FoundationICU)
  typealias CollationBytes = CollationKeys
#else
  typealias CollationBytes = CollationRanks
#endif
