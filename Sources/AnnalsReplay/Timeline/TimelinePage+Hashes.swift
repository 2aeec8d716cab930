extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "+f3QD14qOwIzkKC/F37K+oB/OQ+9BIy49zj7sig4Jok="
  static let styleHash = "CwESGtYaViw0YZTpWdlcCxnlXJIzDgBxGBZnGrTY0Ho="
}
