/// A key of the keyboard, pasted text, or a use of the mouse.
enum Key: Hashable, Sendable {
  case text(Character)
  case left(Modifier)
  case right(Modifier)
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
  case enter
  case tab
  case backTab
  case backspace
  case escape
  case control(Character)
  case paste(String)
  /// A press of the left button, at a column and a row counted from 0.
  case click(x: Int, y: Int)
  /// A turn of the wheel, -1 up and 1 down.
  case wheel(Int, x: Int, y: Int)

  /// A key that is held with an arrow.
  enum Modifier: Sendable { case none, shift, alt }
}
