import AnnalsReplay
import Foundation
import Testing

private let hasTerminals = ToolProcess.succeeds("python3 -c 'import pty, termios'")

/// The executable on a terminal that a program makes.
@Suite(.enabled(if: hasTerminals, "python3 is needed to make a terminal")) struct PseudoTerminalTests {
  /// Runs a command on a terminal of COLUMNS and ROWS, types KEYS when it has been silent for a second, and prints what
  /// the terminal got, and then the status.
  private static let script = """
    import fcntl, os, pty, select, struct, sys, termios, time
    columns, rows, keys, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode(), sys.argv[4:]
    process, terminal = pty.fork()
    if process == 0:
        # Until the terminal has its size.
        os.read(0, 1)
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    os.write(terminal, b"g")
    output, limit = b"", time.time() + 30
    while time.time() < limit:
        if select.select([terminal], [], [], 1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            output += data
        elif keys:
            os.write(terminal, keys[:1])
            keys = keys[1:]
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    sys.stdout.buffer.write(output.replace(b"\\r\\n", b"\\n") + b"\\nstatus %d\\n" % status)
    """

  private let runner: ToolRunner

  init() throws {
    runner = try ToolRunner()
    _ = try runner.file("terminal.py", Self.script)
    let wide = String(repeating: "漢字", count: 60)
    try runner.importLines((10..<40).map { inserted($0, "b\($0)", #"{"title":"\#(wide)"}"#) })
  }

  /// Runs the tool on a terminal.
  private func run(_ words: String, columns: Int, rows: Int = 24, keys: String = "", _ environment: String = "") throws
    -> (output: [Substring], status: String)
  {
    let answer = try ToolProcess.shell(
      "export TERM=xterm; \(environment) python3 terminal.py \(columns) \(rows) '\(keys)' "
        + "/bin/sh -c 'exec \"$TOOL\" \(words)'",
      in: runner.folder)
    #expect(answer.talk == "")
    let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return (Array(lines.dropLast()), String(lines.last ?? ""))
  }

  @Test(arguments: [1, 2, 7, 40, 81, 200]) func `lines are cut to the width that the terminal has`(columns: Int) throws
  {
    let shown = try run("show log.annals --color never", columns: columns, "PAGER=cat COLUMNS=33")
    #expect(shown.status == "status 0")
    let rows = shown.output.filter { $0.contains("…") }
    // On a narrow terminal the line above the rows is cut too.
    #expect(rows.count == (columns < 20 ? 31 : 30))
    // A wide character may leave a column free.
    for row in rows { #expect((columns - 1...columns).contains(width(row)), "\(row)") }
    let help = try run("help diff", columns: columns, "PAGER=cat").output
    #expect(help.contains { $0.contains("table") })
    if columns == 40 { #expect(help.filter { !$0.contains("annals ") }.allSatisfy { $0.count <= 40 }) }
  }

  private func width(_ text: Substring) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) }
  }

  @Test func `a pipe cuts no line of a narrow terminal`() throws {
    let answer = try run("show log.annals | cat", columns: 40)
    #expect(answer.output.filter { $0.hasSuffix("漢字") }.count == 30)
  }

  @Test(.enabled(if: ToolProcess.succeeds("type less"), "less is not installed"))
  func `the pager has the keyboard, and its end is the tool's`() throws {
    let answer = try run("show log.annals", columns: 60, rows: 10, keys: " q")
    #expect(answer.status == "status 0")
    let shown = answer.output.joined()
    #expect(shown.contains("b11") && shown.contains("b19") && !shown.contains("b39"), "\(answer.output)")
  }

  @Test(.enabled(if: ToolProcess.succeeds("type less"), "less is not installed"))
  func `an interrupt in the pager ends the reading, and the tool after the pager, and leaves no file`() throws {
    try runner.importLines((100..<6_000).map { inserted($0, "c\($0)", #"{"title":"one"}"#) })
    for keys in ["\u{3}q", "\u{3}\u{3}\u{3} q"] {
      let answer = try run("log log.annals", columns: 60, rows: 10, keys: keys)
      #expect(answer.status == "status 130", "\(answer.output.suffix(3))")
      let files = try FileManager.default.contentsOfDirectory(atPath: runner.folder.path)
      #expect(files.filter { $0.hasPrefix("log.annals") } == ["log.annals"])
    }
  }

  @Test func `a pager gets all, and one that stops early or is missing harms nothing`() throws {
    for (pager, last) in [("tail -n 1", "b39"), ("head -n 2", "b10"), ("none-1", "b39"), ("false", nil)] {
      let answer = try run("show log.annals", columns: 60, rows: 10, "PAGER='\(pager)'")
      #expect(answer.status == "status 0", "\(pager) \(answer.output)")
      let rows = answer.output.filter { $0.hasPrefix("  b") }
      #expect(rows.last.map { String($0.dropFirst(2).prefix(3)) } == last, "\(pager) \(answer.output)")
      #expect(rows.count == (pager == "none-1" ? 30 : last == nil ? 0 : 1))
    }
  }

  @Test(.enabled(if: ToolProcess.succeeds("type timeout"), "timeout is not installed"))
  func `what follows a log needs no pager, however much it prints`() throws {
    for words in ["log log.annals --follow 1..", "diff -f log.annals --with-list 30..", "demo bookshop"] {
      let answer = try ToolProcess.shell(
        """
        TERM=xterm PAGER='sed s/^/paged/' python3 terminal.py 60 5 '' \
          /usr/bin/env timeout --foreground -s INT 3 "$TOOL" \(words)
        """, in: runner.folder)
      #expect(answer.output.split(separator: "\n").count > 20 && !answer.output.contains("paged"), "\(answer)")
    }
  }

  @Test func `colours come and go as the option says`() throws {
    for (words, environment, isColourful) in [
      ("", "", true), ("--color=never", "", false), ("", "NO_COLOR=1", false), ("--color always", "NO_COLOR=1", true),
      ("", "TERM=dumb", false),
    ] {
      let answer = try run("\(words) diff --each log.annals", columns: 80, "PAGER=cat " + environment)
      #expect(answer.output.contains { $0.contains("\u{1B}[32m") } == isColourful, "\(words) \(environment)")
    }
    let piped = try ToolProcess.shell("\"$TOOL\" diff --each log.annals --color=always | head -2", in: runner.folder)
    #expect(piped.output.contains("\u{1B}[32m"))
  }
}
