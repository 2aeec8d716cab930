/// A line of a terminal that is written over and over, until something else is printed.
///
/// A class, because all who print share the one line.
final class StatusLine {
  private let talk: (String) -> Void
  private var isShown = false
  /// True while another program has the terminal.
  var isMuted = false

  init(_ talk: @escaping (String) -> Void) {
    self.talk = talk
  }

  func show(_ text: String) {
    if isMuted { return }
    isShown = true
    talk("\r\u{1B}[K" + text)
  }

  func clear() {
    if isShown { talk("\r\u{1B}[K") }
    isShown = false
  }
}
