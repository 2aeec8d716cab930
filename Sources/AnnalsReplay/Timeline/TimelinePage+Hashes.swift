extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "qsu8cwLn07bMiaA0jCI3e39Z9GiLHlVuKckpuM5f+Ho="
  static let styleHash = "CwESGtYaViw0YZTpWdlcCxnlXJIzDgBxGBZnGrTY0Ho="
}
