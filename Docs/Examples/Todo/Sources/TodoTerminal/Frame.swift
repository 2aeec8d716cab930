/// What is written to a terminal, so that it shows other lines than before.
public enum Frame {
  /// Clears the screen, before the first lines are written.
  public static let clear = "\u{1b}[2J\u{1b}[H"
  /// Goes to a screen of its own, and hides the cursor.
  public static let enter = "\u{1b}[?1049h\u{1b}[?25l"
  /// Shows the cursor, and goes back to the screen that was there.
  public static let leave = "\u{1b}[?25h\u{1b}[?1049l"

  /// The lines that differ, each written to its place.
  ///
  /// - Parameters:
  ///   - old: What the terminal shows.
  ///   - new: What it is to show.
  /// - Returns: Text and control sequences.
  public static func difference(from old: [String], to new: [String]) -> String {
    var text = ""
    for (index, line) in new.enumerated() where !old.indices.contains(index) || old[index] != line {
      text += "\u{1b}[\(index + 1);1H\u{1b}[2K\(line)"
    }
    for index in new.count..<max(new.count, old.count) { text += "\u{1b}[\(index + 1);1H\u{1b}[2K" }
    return text
  }
}
