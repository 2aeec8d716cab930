import Foundation

/// The folder with logs of former versions, and with the program that reads a log in another language.
let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
