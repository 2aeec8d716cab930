extension TimelinePage {
  // The SHA-256 of the script and of the style, by which a browser knows them; a test has them computed again.
  static let scriptHash = "lwph5ry9mhHf2IMvvBSCjNIdlzo0vFy2eKMpa/U8Ylw="
  static let styleHash = "sUWRCmF65g5xiDX15AqDM2Q+JiUDrD6BnoVDiFbhJaQ="
}
