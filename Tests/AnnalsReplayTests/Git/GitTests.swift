import Foundation
import Testing

private let hasGit = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git"].contains {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// `annals import` of repositories made by the tests.
@Suite(.enabled(if: hasGit, "git is not installed")) struct GitTests {
  private let tool: ToolRunner
  private var repository: String { tool.path("repository") }

  init() throws {
    tool = try ToolRunner()
    try git("init", "-q", "-b", "main", repository)
    for (name, value) in [("user.name", "Zoë"), ("user.email", "z@example.com"), ("commit.gpgsign", "false")] {
      try git("-C", repository, "config", name, value)
    }
  }

  @discardableResult
  private func git(_ words: String...) throws -> String { try run(["git"] + words) }

  private func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let (output, talk) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(words): \(message)")
    return text
  }

  private func write(_ name: String, _ text: String) throws {
    let url = URL(fileURLWithPath: repository).appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func commit(_ message: String) throws {
    try git("-C", repository, "add", "-A")
    try git("-C", repository, "commit", "-q", "--allow-empty", "-m", message)
  }

  /// Compares the paths in the log after each commit with those in git.
  private func checkEveryCommit() throws {
    var ends: [String: Int] = [:]
    for line in tool.run("log", tool.log, "--json").lines {
      let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      ends[try #require(event["transaction"] as? String)] = try #require(event["position"] as? Int)
    }
    var position = 0
    for hash in try git("-C", repository, "rev-list", "--first-parent", "--reverse", "HEAD").split(separator: "\n") {
      position = ends[String(hash)] ?? position
      let listed = try git("-C", repository, "ls-tree", "-r", "-z", "--name-only", String(hash))
        .split(separator: "\0").map { Array($0.utf8) }
      let shown = try #require(
        try JSONSerialization.jsonObject(
          with: Data(tool.run("show", tool.log, "--json", "\(position)", "--sort", "path").output.utf8))
          as? [String: Any])
      let sections = try #require(shown["sections"] as? [[String: Any]])
      let rows = try sections.flatMap { try #require($0["rows"] as? [[String: Any]]) }
      let paths = try rows.map { try #require(($0["fields"] as? [String: Any])?["path"] as? String) }
      #expect(paths.map { Array($0.utf8) } == listed.sorted { $0.lexicographicallyPrecedes($1) })
      for row in rows {
        let fields = try #require(row["fields"] as? [String: Any])
        let path = fields["path"] as? String ?? ""
        let cut = path.lastIndex(of: "/")
        #expect(fields["name"] as? String == cut.map { String(path[path.index(after: $0)...]) } ?? path)
        #expect(fields["directory"] as? String == cut.map { String(path[..<$0]) } ?? ".")
      }
    }
  }

  @Test func `every commit of a history lists what git lists, and new commits are added`() throws {
    try write("a.txt", "one")
    try write("with space/\"quoted\" \\ back", "two")
    try write("ünï/e\u{301}", "three")
    try write("ünï/\u{e9}", "four")
    try write("line\nend/tab\t", "five")
    try commit("one")
    try git("-C", repository, "mv", "a.txt", "moved.txt")
    try commit("rename")
    try write("a.txt", "another")
    try write("moved.txt", "changed")
    try commit("change")
    // Two files swap their names.
    try git("-C", repository, "mv", "a.txt", "x")
    try git("-C", repository, "mv", "moved.txt", "a.txt")
    try git("-C", repository, "mv", "x", "moved.txt")
    try commit("swap")
    try git("-C", repository, "checkout", "-q", "-b", "side", "HEAD~1")
    try write("side/new", "six")
    try commit("side")
    try git("-C", repository, "checkout", "-q", "main")
    try write("main/new", "seven")
    try git("-C", repository, "rm", "-q", "-r", "with space")
    try commit("main")
    try commit("empty")
    let first = tool.run("import", tool.log, repository, "--json")
    #expect(first.status == 0 && first.output.hasPrefix("{\"commits\":6,"), "\(first.talk)")
    try checkEveryCommit()
    try git("-C", repository, "merge", "-q", "-m", "merge", "side")
    try commit("empty again")
    let second = tool.run("import", tool.log, repository)
    #expect(second.talk == "3 commits imported as 1 event; the log's last position is 13\n")
    try checkEveryCommit()
    let events = tool.run("log", tool.log, "--json").lines
    #expect(
      events[5].contains(#""type":"RecordUpdated""#)
        && events[5].contains(#""id":"f1","fields":{"path":"moved.txt","name":"moved.txt","commits":2,"changed":"#))
    #expect(events[0].contains(#""message":"one""#) && events[5].contains(#""message":"rename""#))
    #expect(events[0].contains(#""actor":"Zoë""#))
    #expect(
      tool.run("import", tool.log, repository, "--json").output == "{\"commits\":1,\"events\":0,\"position\":13}\n")
  }

  @Test func `a git that talks more than a pipe holds is heard to its end`() throws {
    try write("a", "1")
    try commit("one")
    let words = "head -c 400000 /dev/zero | tr '\\0' x >&2"
    _ = try tool.file("git", "#!/bin/bash\n\(words)\nexec \"$REAL_GIT\" \"$@\"\n")
    // A process that hangs is killed, so that the test ends too.
    let script = """
      chmod 755 git; export REAL_GIT="$(command -v git)"
      PATH="$PWD:$PATH" "$TOOL" import log.annals repository --json & tool=$!
      for n in {1..1200}; do kill -0 $tool 2> /dev/null || break; sleep 0.05; done
      kill -9 $tool 2> /dev/null; wait $tool
      """
    let answer = try ToolProcess.shell(script, in: tool.folder)
    #expect(answer.status == 0 && answer.output == "{\"commits\":1,\"events\":1,\"position\":1}\n", "\(answer)")
    // The last lines say what went wrong.
    _ = try tool.file("git", "#!/bin/bash\n\(words)\nprintf '\\nfatal: the end\\n' >&2; exit 9\n")
    let failed = try ToolProcess.shell(script, in: tool.folder)
    #expect(failed.status == 3 && failed.talk.contains("fatal: the end\nSOURCE can be "), "\(failed.talk.suffix(200))")
  }

  @Test func `rows count their commits, also in a second run, and an older log goes on as it was begun`() throws {
    try write("a", "1")
    try write("b", "1")
    try commit("one")
    try write("a", "2")
    try commit("two")
    #expect(tool.run("import", tool.log, repository).status == 0)
    // What an older version wrote: no counts, and an event without fields for a change.
    let old = tool.path("old.annals")
    let export = tool.run("log", "--json", tool.log).output.replacing(/,"commits":\d+,"changed":"[^"]*"/, with: "")
      .replacing(/"commits":\d+,"changed":"[^"]*"/, with: "")
    #expect(tool.run("import", old, try tool.file("old.jsonl", export)).status == 0)
    try write("a", "3")
    try write("c", "1")
    try commit("three")
    #expect(
      tool.run("import", tool.log, repository, "--json").output == #"{"commits":1,"events":2,"position":5}"# + "\n")
    let rows = tool.run("show", tool.log, "--sort", "name", "--json").output
    #expect(
      rows.contains(#""id":"f1","fields":{"changed":"#) && rows.contains(#""commits":3,"directory":".","name":"a""#))
    #expect(rows.contains(#""commits":1,"directory":".","name":"c""#))
    #expect(tool.run("import", old, repository, "--json").output == #"{"commits":1,"events":2,"position":5}"# + "\n")
    #expect(!tool.run("show", old, "--json").output.contains("commits"))
    #expect(tool.run("verify", old).status == 0 && tool.run("import", old, repository).status == 0)
  }

  @Test func `an empty repository is an empty log`() throws {
    #expect(tool.run("import", tool.log, repository).status == 0)
    #expect(tool.run("show", tool.log).lines == ["position 0: 0 rows"])
  }

  @Test func `what is no repository, another history and a name that is not UTF-8 are named`() throws {
    let missing = tool.run("import", tool.log, tool.path("missing"))
    #expect(missing.status == 4 && missing.talk.contains("the file doesn't exist"))
    let plain = tool.path("plain")
    try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    let other = tool.run("import", tool.log, plain)
    #expect(other.status == 3 && other.talk.contains("expected a git repository"))
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    try write("a", "1")
    try commit("one")
    try write("b", "2")
    try commit("two")
    #expect(tool.run("import", tool.log, repository).status == 0)
    try git("-C", repository, "commit", "-q", "--amend", "-m", "rewritten")
    let rewritten = tool.run("import", tool.log, repository)
    #expect(rewritten.status == 1 && rewritten.talk.contains("import it into a new log"))
    _ = try run(["bash", "-c", "cd \"$0\" && printf x > $'bad\\xff' && git add -A && git commit -q -m bad", repository])
    #expect(!FileManager.default.fileExists(atPath: tool.path("new")))
    let bad = tool.run("import", tool.path("new"), repository)
    #expect(bad.status == 3 && bad.talk.contains("is not UTF-8"))
    #expect(tool.run("show", tool.path("new")).lines[0] == "position 2: 2 rows")
  }
}
