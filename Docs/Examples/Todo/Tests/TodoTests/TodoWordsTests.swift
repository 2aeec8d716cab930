import Annals
import Foundation
import Testing
import TodoDomain
import TodoTerminal

/// The program's executable, beside the tests.
enum Program {
  static let path = path("todo")

  /// The path of a program of this package.
  static func path(_ name: String) -> String {
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    let paths = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: name).path }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
  }

  /// Runs a program to its end.
  ///
  /// It is started by the system's own call: Foundation's `Process` waits for all that the program leaves running too,
  /// such as a server of tmux. Its output goes to files for the same reason.
  static func run(_ words: [String], of path: String = Self.path) throws -> Ended {
    let files = (0..<2).map { _ in
      FileManager.default.temporaryDirectory.appending(path: "todo-\(UUID().uuidString)").path
    }
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      let environment = _NSGetEnviron().pointee
    #else
      let environment = environ
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (number, file) in files.enumerated() {
      posix_spawn_file_actions_addopen(&actions, Int32(number + 1), file, O_WRONLY | O_CREAT, 0o600)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawn(&process, path, &actions, nil, &arguments, environment)
    guard problem == 0 else { throw CocoaError(.executableNotLoadable) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    // The exit status is in the second byte.
    return Ended(output: texts[0], errors: texts[1], status: status >> 8 & 0xff)
  }

  /// What a program printed, and how it ended.
  struct Ended {
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  /// Runs a test with the path of a file that is not there yet.
  static func withFile<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> T
  ) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appending(path: "list.annals").path)
  }
}

@Suite struct TodoWordsTests {
  private let words = TodoWords(TodoUser(store: MemoryEventStore(), name: "ann"))

  private func lines(_ line: String) throws -> [String] {
    let answer = try words.answer(to: line.split(separator: " ").map(String.init))
    return answer.lines + (answer.problem.map { ["\(answer.status): \($0)"] } ?? [])
  }

  @Test func `each word of the help does what it says`() throws {
    #expect(try lines("add Buy milk") == ["done: add Buy milk"])
    #expect(try lines("add Bread") == ["done: add Bread"])
    #expect(try lines("done 1") == ["done: finish 1"])
    #expect(try lines("list") == ["To do:", "  2  Bread", "Done:", "x 1  Buy milk"])
    #expect(try lines("list MILK") == ["Done:", "x 1  Buy milk"])
    #expect(try lines("rename 2 Rye bread") == ["done: rename 2"])
    #expect(try lines("reopen 1") == ["done: reopen 1"])
    #expect(try lines("undo") == ["undone: reopen 1"] && lines("redo") == ["done again: reopen 1"])
    #expect(try lines("remove 2") == ["done: remove 2"])
    #expect(try lines("") == ["To do:", "  1  Buy milk"])
    #expect(try lines("redo") == ["nothing to redo"])
  }

  @Test func `what is refused and what is not understood have a status of their own`() throws {
    #expect(try lines("done 7") == ["1: there is no item 7"])
    #expect(try lines("done milk") == ["2: \"milk\" is no number of an item; see todo list"])
    #expect(try lines("dance") == ["2: \"dance\" is not understood; see todo help"])
    #expect(try lines("undo") == ["nothing to undo"])
  }

  @Test func `the program works in a pipe, one process after the other`() async throws {
    try await Program.withFile { file in
      #expect(try Program.run(["--file", file, "add", "Milk"]).output == "done: add Milk\n")
      #expect(try Program.run(["--file", file]).output == "To do:\n  1  Milk\n")
      #expect(try Program.run(["--file", file, "undo"]).output == "undone: add Milk\n")
      let refused = try Program.run(["--file", file, "done", "1"])
      #expect(refused.errors == "todo: there is no item 1\n" && refused.status == 1 && refused.output == "")
      #expect(try Program.run(["help"]).output == TodoWords.help + "\n")
      let lost = try Program.run(["--file", "/nowhere/list", "list"])
      #expect(lost.status == 3 && lost.errors.hasPrefix("todo: /nowhere/list: "))
    }
  }
}
