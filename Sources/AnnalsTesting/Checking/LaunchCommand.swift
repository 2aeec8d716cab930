import Foundation

/// The path and arguments of another process.
struct LaunchCommand {
  let path: String
  let arguments: [String]

  init(path: String, arguments: [String]) {
    self.path = path
    self.arguments = arguments
  }

  /// Creates the command that starts this process's executable with a filter for a test.
  init(rerunning test: PropertyName) throws {
    #if os(Linux)
      path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      var kept: [String] = []
    #else
      path = CommandLine.arguments[0]
      var kept: [String] = []
      for (word, next) in Swift.zip(CommandLine.arguments, CommandLine.arguments.dropFirst() + [""])
      where word == "--test-bundle-path" {
        kept += [word, next]
      }
    #endif
    let module = test.file.prefix { $0 != "/" }
    let name = test.function.hasSuffix("()") ? String(test.function.dropLast(2)) : test.function
    kept += [
      "--testing-library", "swift-testing",
      // Excludes tests whose names only contain this name. A name with spaces is between backticks, and parentheses
      // follow it.
      "--filter", "^\(Self.escaped(String(module)))\\.(.*/)?`?\(Self.escaped(name))`?\\(\\)",
    ]
    arguments = kept
  }

  /// Returns a regular expression that matches a string literally.
  private static func escaped(_ text: String) -> String {
    text.map { "\\^$.|?*+()[]{}/".contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
