/// A key of the keyboard, or what was pasted.
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

  /// A key that is held with an arrow.
  enum Modifier: Sendable { case none, shift, alt }
}
