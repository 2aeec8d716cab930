extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "9/tmzkl6b/Lp3ZVI3G5ZX9DYM+upect7Qj1J93iDs7w="
  static let styleHash = "CwESGtYaViw0YZTpWdlcCxnlXJIzDgBxGBZnGrTY0Ho="
}
