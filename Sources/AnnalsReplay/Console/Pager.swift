package import Foundation

/// A program that shows what it reads page by page.
package struct Pager {
  /// Writes data to the program; throws ``Quit`` if you have ended it.
  package let write: (Data) throws -> Void
  /// Says that there is no more, and waits until you have ended the program.
  package let end: () -> Void

  /// You have ended the program before it had read all.
  package struct Quit: Error {
    package init() {}
  }

  package init(write: @escaping (Data) throws -> Void, end: @escaping () -> Void) {
    self.write = write
    self.end = end
  }

  /// The command that the environment names, as a shell reads it: that of ANNALS_PAGER, of PAGER, or less.
  ///
  /// nil if no program is wanted, or if it is not there.
  static func command(_ environment: [String: String]) -> String? {
    let command = environment["ANNALS_PAGER"] ?? environment["PAGER"] ?? "less"
    let words = command.split(separator: " ")
    guard let program = words.first, command != "cat" else { return nil }
    // A shell's own signs may mean anything; otherwise it is clear which program must be there.
    let isSimple = program.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
    return !isSimple || Platform.finds(String(program), on: environment["PATH"] ?? "") ? command : nil
  }

  /// The environment with which `less` keeps colours, ends by itself after a single screen, and leaves the text there.
  static func environment(_ environment: [String: String]) -> [String: String] {
    environment.merging(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
  }
}
