import Foundation

/// The terminal of the process: raw while the program has its screen, and as it was after it.
@MainActor final class Terminal {
  private var saved: termios?

  /// True if keys come from a terminal, and lines go to one.
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// How large it is.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    // `TIOCGWINSZ` is of another type on each system.
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Has keys come one by one, without being shown; also Ctrl-C.
  func enter() {
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
    saved = mode
    cfmakeraw(&mode)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Makes the terminal what it was.
  func leave() {
    guard var mode = saved else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    saved = nil
  }

  /// Writes text, all of it.
  func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      // The terminal is gone: its end is heard of as a signal.
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
