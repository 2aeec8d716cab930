import Annals
import AnnalsSQLite
import Foundation
import Testing

/// The executable itself, run by a shell.
@Suite struct ProcessTests {
  @Test func `the executable has the table that checks batches, and nothing else of the harness`() throws {
    let program = try Data(contentsOf: URL(fileURLWithPath: #require(ToolProcess.tool)))
    // A module's name is in the names of all that it has, after its length.
    #expect(program.range(of: Data("12AnnalsMirror".utf8)) != nil)
    #expect(program.range(of: Data("13AnnalsTesting".utf8)) == nil)
  }

  @Test func `the executable reads its input, returns its statuses and is silent when its reader stops`() throws {
    let runner = try ToolRunner()
    let lines = (0..<20_000).map { line($0, "T", "{\"number\":\($0)}", transaction: "t\($0 / 1_000)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let imported = try ToolProcess.shell("cat in.jsonl | \"$TOOL\" import log.annals - --json", in: runner.folder)
    #expect(imported.output == "{\"events\":20000,\"transactions\":20,\"skipped\":0,\"position\":20000}\n")
    #expect(imported.status == 0 && imported.talk == "")
    let head = try ToolProcess.shell("\"$TOOL\" log --json log.annals | head -1", in: runner.folder)
    #expect(head.output.hasPrefix("{\"specversion\":\"1.0\",\"id\":\"0\"") && head.talk == "")
    // The same where the shell ignores the signal.
    let ignoring = try ToolProcess.shell("trap '' PIPE; \"$TOOL\" log --json log.annals | head -1", in: runner.folder)
    #expect(ignoring.talk == "" && ignoring.status == 141)
    #expect(try ToolProcess.shell("\"$TOOL\" show missing", in: runner.folder).status == 4)
    #expect(try ToolProcess.shell("\"$TOOL\" show in.jsonl", in: runner.folder).status == 3)
    #expect(try ToolProcess.shell("\"$TOOL\" diff log.annals 0..9", in: runner.folder).status == 1)
    #expect(try ToolProcess.shell("\"$TOOL\" frobnicate", in: runner.folder).status == 2)
    #expect(try ToolProcess.shell("\"$TOOL\" import other.annals - < /dev/null", in: runner.folder).status == 0)
    #expect(try ToolProcess.shell("\"$TOOL\" import other.annals - <&-", in: runner.folder).status == 4)
    let full = try ToolProcess.shell("\"$TOOL\" log --json log.annals > /dev/full", in: runner.folder)
    #expect(full.status == 4)
    #expect(
      full.talk
        == "annals: the standard output cannot be written: No space left on device; what was printed is not all\n")
    let noGit = try ToolProcess.shell("PATH=/nowhere \"$TOOL\" import new.annals .", in: runner.folder)
    #expect(noGit.status == 4 && noGit.talk.contains("git was not found"))
    #expect(!FileManager.default.fileExists(atPath: runner.path("new.annals")))
  }

  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
  func `a reader that a signal ends leaves no file beside the log`(signal: String, status: Int) throws {
    let runner = try ToolRunner()
    let lines = (0..<20_000).map { line($0, "T", "{\"number\":\($0)}", transaction: "t\($0 / 1_000)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let answer = try ToolProcess.shell(
      """
      "$TOOL" import log.annals in.jsonl -q
      mkfifo pipe
      "$TOOL" log --json log.annals > pipe & tool=$!
      exec 3< pipe
      read -r line <&3
      ls log.annals-*
      kill -\(signal) $tool
      cat <&3 | wc -l
      wait $tool
      echo "status $?"
      ls log.annals*
      """, in: runner.folder)
    let words = answer.output.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(words.prefix(2) == ["log.annals-shm", "log.annals-wal"], "it was reading")
    #expect(try #require(Int(words[2])) < 19_999)
    #expect(words.dropFirst(3) == ["status", "\(status)", "log.annals"])
    #expect(answer.talk == "")
  }

  @Test(arguments: ["verify log.annals", "find log.annals 'count > 1000000'"])
  func `a reader that prints nothing yet ends at a signal, and leaves no file either`(words: String) throws {
    let runner = try ToolRunner()
    let lines = (0..<20_000).map { inserted($0, "b\($0)", transaction: "t\($0 / 2)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let answer = try ToolProcess.shell(
      """
      "$TOOL" import log.annals in.jsonl -q
      "$TOOL" \(words) > said & tool=$!
      while ! test -e log.annals-shm; do sleep 0.01; done
      sleep 0.05; kill -INT $tool; wait $tool
      echo "status $?"; wc -c < said; ls log.annals*
      """, in: runner.folder)
    #expect(answer.output.split(whereSeparator: \.isWhitespace) == ["status", "130", "0", "log.annals"])
    #expect(answer.talk == "")
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func `a signal ends a reader whose output is not taken, and no file is left`(signal: String, status: Int) throws {
    let runner = try ToolRunner()
    let lines = (0..<5_000).map { line($0, "T", "{\"number\":\($0)}") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let answer = try ToolProcess.shell(
      """
      "$TOOL" import log.annals in.jsonl -q
      mkfifo pipe
      "$TOOL" log --json log.annals > pipe & tool=$!
      exec 3< pipe
      read -r line <&3
      sleep 0.3; ls log.annals-*
      kill -\(signal) $tool; wait $tool
      echo "status $?"; ls log.annals*
      """, in: runner.folder)
    #expect(
      answer.output.split(whereSeparator: \.isWhitespace).map(String.init)
        == ["log.annals-shm", "log.annals-wal", "status", "\(status)", "log.annals"])
    #expect(answer.talk == "")
  }

  @Test func `a backup that a signal ends leaves no file, neither a part nor a copy that was not checked`() throws {
    let runner = try ToolRunner()
    let words = String(repeating: "words ", count: 400)
    let lines = (0..<5_000).map { line($0, "T", "{\"number\":\($0),\"words\":\"\(words)\"}") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    // Early, while it is copied, and late, while the copy is checked.
    for moment in ["copy.annals.*.unfinished", "copy.annals"] {
      let answer = try ToolProcess.shell(
        """
        rm -f log.annals; "$TOOL" import log.annals in.jsonl -q
        "$TOOL" backup log.annals copy.annals & tool=$!
        while ! compgen -G '\(moment)' > matches; do :; done
        kill -INT $tool; wait $tool
        echo "status $?"; ls log.annals* copy.annals*
        """, in: runner.folder)
      #expect(answer.output.split(separator: "\n") == ["status 130", "log.annals"], "\(moment): \(answer)")
    }
  }

  @Test func `a reader of a damaged log, and one after a killed reader, leaves no file beside the log`() throws {
    let runner = try ToolRunner()
    let lines = (0..<200).map { line($0, "T", "{\"number\":\($0)}") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let killed = try ToolProcess.shell(
      """
      "$TOOL" import log.annals in.jsonl -q
      "$TOOL" diff --follow --json log.annals > said & tool=$!
      while ! test -e log.annals-wal; do sleep 0.01; done
      sleep 0.2; kill -KILL $tool; wait $tool
      ls log.annals*; "$TOOL" info log.annals > info; ls log.annals*
      """, in: runner.folder)
    let files = killed.output.split(separator: "\n")
    #expect(files == ["log.annals", "log.annals-shm", "log.annals-wal", "log.annals"])
    // The log's second page says what the log is; a file that was cut has fewer pages than its first one says.
    let damaged = try ToolProcess.shell(
      """
      cp log.annals page.annals; printf 'damage' | dd of=page.annals bs=1 seek=5000 conv=notrunc status=none
      head -c 16384 log.annals > cut.annals
      for log in page cut; do "$TOOL" log $log.annals; echo $?; done
      ls page.annals* cut.annals*
      """, in: runner.folder)
    #expect(damaged.output.split(separator: "\n") == ["3", "3", "cut.annals", "page.annals"])
  }

  @Test func `a log that a process opens twice loses nothing when another process closes it`() throws {
    let runner = try ToolRunner()
    let store = try SQLiteEventStore(path: runner.log)
    let event = NewEvent(type: "T", payload: "1")
    try store.append(Append([event], to: "s"))
    // SQLite's locks belong to the process: another way to open and close the file would release the locks of the store
    // above.
    do { _ = try SQLiteEventStore(readingFrom: runner.log).head() }
    do { _ = try SQLiteEventStore(path: runner.log).head() }
    _ = try runner.file("in.jsonl", line(1, "T", "2") + "\n")
    #expect(try ToolProcess.shell("\"$TOOL\" import log.annals in.jsonl", in: runner.folder).status == 0)
    try store.append(Append([event], to: "s"))
    let events = try ToolProcess.shell("\"$TOOL\" log log.annals", in: runner.folder)
    #expect(events.output.split(separator: "\n").count == 3)
  }
}
