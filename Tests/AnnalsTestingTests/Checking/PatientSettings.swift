extension [String: String] {
  /// Variables for checks with a limit of a day for shrinking, instead of the process's variables.
  ///
  /// On a full machine, the default minute can end before the smallest case is found, which these tests compare.
  static let patient = ["ANNALS_SHRINK_SECONDS": "86400"]
}
