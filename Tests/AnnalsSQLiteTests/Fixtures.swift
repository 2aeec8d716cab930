import Foundation

/// The folder of the logs that former versions wrote, and of the program that reads a log in another language.
let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
