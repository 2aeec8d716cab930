// Where the bytes come from by which texts stand in the order of a language. This is the one place that asks for the
// platform; all else knows what both have: `of`, `compare`, `write`, `version`, `areLasting` and `beginning(of:)`.
#if os(Linux) && canImport(_FoundationICU)
  typealias CollationBytes = CollationKeys
#else
  typealias CollationBytes = CollationRanks
#endif
