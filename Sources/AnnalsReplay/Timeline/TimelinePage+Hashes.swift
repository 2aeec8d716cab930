extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "Ymcp625vfz1kDWvSCK4AtOBP0PytWGMAiWc9MJRXpmM="
  static let styleHash = "CwESGtYaViw0YZTpWdlcCxnlXJIzDgBxGBZnGrTY0Ho="
}
