import Foundation
import Testing

/// The full-screen view on a real terminal, as far as tmux is one.
@Suite(
  .enabled(if: ToolProcess.tool != nil && ToolProcess.succeeds("tmux -V && env --default-signal true && pgrep -V")),
  .serialized)
struct ScrubTerminalTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    try tool.importLines([
      inserted(1, "b1", #"{"title":"Annals"}"#, transaction: "t1"),
      inserted(2, "b2", #"{"title":"史記 字"}"#, transaction: "t2"),
    ])
  }

  /// Runs a script on a terminal of its own: `keys` presses keys, `shown` waits for a text and prints the screen.
  private func run(_ script: String) throws -> (output: String, talk: String) {
    let socket = "annals-\(UUID().uuidString.prefix(8))"
    let before = #"""
      T() { tmux -L \#(socket) -f /dev/null "$@"; }
      trap 'kill -KILL "$shell"; T kill-server 2> /dev/null' EXIT
      export TERM=xterm-256color LC_ALL=C.UTF-8
      # The tests' process may block signals, which its children would inherit.
      env --default-signal tmux -L \#(socket) -f /dev/null -u new-session -d -x 80 -y 24 -e TOOL="$TOOL" 'bash --norc'
      shell=$(T display-message -p '#{pane_pid}')
      keys() { T send-keys "$@"; }
      # Waits up to ten seconds until the screen has a text.
      shown() {
        for _ in $(seq 100); do
          T capture-pane -p > screen; if grep -q -- "$1" screen; then cat screen; return 0; fi; sleep 0.1
        done
        echo "MISSING $1" >&2; cat screen >&2; return 1
      }
      process() { pgrep -P "$shell"; }
      keys 'PS1="ready> "; clear' Enter; shown '^ready>' > /dev/null
      keys 'stty -a | grep -v "^speed" > before; echo saved' Enter; shown '^saved' > /dev/null
      keys '"$TOOL" scrub log.annals; echo "status $?"' Enter; shown 'q quit' > /dev/null
      """#
    let after = #"""

      keys 'stty -a | grep -v "^speed" > after; echo "compared $?"' Enter; shown '^compared 0' > /dev/null
      cmp before after && echo SAME
      """#
    let answer = try ToolProcess.shell(before + "\n" + script + after, in: tool.folder)
    return (answer.output, answer.talk)
  }

  @Test func `It steps, follows the terminal's size, and leaves the terminal as it was`() throws {
    let (output, talk) = try run(
      """
      shown '2 / 2'
      keys Left; shown '1 / 2'
      T resize-window -x 40 -y 12; shown '^log.annals  book  *1 / 2$'
      T resize-window -x 120 -y 30; shown '┌─ log.annals  book ─.* 1 / 2 '
      keys q; shown 'status 0'
      """)
    #expect(!talk.contains("MISSING") && output.contains("SAME"), "\(output)\(talk)")
    #expect(output.contains("史記 字"))
  }

  @Test func `An event is left out, a condition is found and a page is written while you look`() throws {
    let (output, talk) = try run(
      """
      shown '2 / 2'
      keys x; shown 'without 2: everything else applies'; shown '× 2  RecordInserted'
      keys x; shown 'the list as the log has it'
      keys w 'tx:t1' Enter; shown 'without tx:t1'
      keys w Enter; shown 'the list as the log has it'
      keys g g; shown '0 / 2'; keys f 'count = 2' Enter; shown 'count = 2 holds'
      keys o; shown 'page of 0 to 2 in: '; keys Enter; shown 'log-0-2.html: 2 batches'
      keys q; shown 'status 0'
      test -s log-0-2.html && echo WRITTEN
      """)
    #expect(!talk.contains("MISSING") && output.contains("SAME") && output.contains("WRITTEN"), "\(output)\(talk)")
  }

  @Test(arguments: [("TERM", "143"), ("HUP", "143"), ("INT", "130"), ("SEGV", "139")])
  func `A signal gives the terminal back`(signal: String, status: String) throws {
    let (output, talk) = try run("kill -\(signal) $(process); shown 'status \(status)'")
    #expect(!talk.contains("MISSING") && output.contains("SAME"), "\(output)\(talk)")
    #expect(!output.contains("what did it"), "the view is still there: \(output)")
  }

  @Test func `The mouse selects a row, and the terminal has it back however the view ends`() throws {
    let (output, talk) = try run(
      #"""
      mouse() { T display-message -p 'mouse #{mouse_any_flag}#{mouse_sgr_flag}' > screen; grep -q "mouse $1" screen; }
      shown '2 / 2'; mouse 11 || echo "MISSING mouse" >&2
      T send-keys -l $'\e[<0;6;7M'; shown '─ row b1 ─'
      T send-keys -l $'\e[<65;6;7M'; shown '─ row b2 ─'
      keys M; shown 'the mouse selects text'; mouse 00 || echo "MISSING text" >&2
      keys M; shown 'the mouse selects rows'; mouse 11 || echo "MISSING rows" >&2
      keys C-z; shown 'Stopped'; mouse 00 || echo "MISSING stop" >&2
      keys fg Enter; shown 'what did it'; mouse 11 || echo "MISSING continued" >&2
      kill -SEGV $(process); shown 'Segmentation fault'; mouse 00 || echo "MISSING crash" >&2
      """#)
    #expect(!talk.contains("MISSING") && output.contains("SAME"), "\(output)\(talk)")
  }

  @Test func `It can be stopped, and goes on with the whole screen`() throws {
    let (output, talk) = try run(
      """
      keys C-z; shown 'Stopped'
      keys fg Enter; shown 'q quit'
      kill -STOP $(process); shown 'Stopped' > /dev/null || true
      keys fg Enter; shown 'q quit'
      keys Left; shown '1 / 2'; keys q; shown 'status'
      """)
    #expect(!talk.contains("MISSING") && output.contains("SAME"), "\(output)\(talk)")
  }

  @Test func `Lines of keys are answered as they are typed`() throws {
    let (output, talk) = try run(
      """
      keys q; shown 'status 0' > /dev/null
      keys '"$TOOL" scrub log.annals --plain' Enter; shown '^2 of 2'
      keys h Enter; shown '^1 of 2'
      keys q Enter
      """)
    #expect(!talk.contains("MISSING") && output.contains("SAME"), "\(output)\(talk)")
  }

  @Test func `When the terminal goes, it ends`() throws {
    let (output, _) = try run(
      """
      it=$(process); T kill-server
      for _ in $(seq 50); do kill -0 $it 2> /dev/null || { echo GONE; break; }; sleep 0.1; done
      exit
      """)
    #expect(output.contains("GONE"), "\(output)")
  }
}
