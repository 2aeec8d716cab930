extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "zD856MpO9jZxyYUYjooOVn3QBvz8tCZmN1rurP6/zwA="
  static let styleHash = "CwESGtYaViw0YZTpWdlcCxnlXJIzDgBxGBZnGrTY0Ho="
}
