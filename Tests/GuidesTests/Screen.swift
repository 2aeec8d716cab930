#if !canImport(SwiftUI)
  import Observation

  /// A view as text, which is drawn as SwiftUI does: after a change of a value that its body read, and otherwise not.
  ///
  /// The substitute for `State` isn't observed, so a tap draws the view, too.
  @MainActor final class Screen<Content: View> {
    private let view: Content
    private(set) var canvas = Canvas()
    private(set) var drawn = 0
    private var isDue = true
    var lines: [String] { canvas.lines }
    var text: String { lines.joined(separator: "\n") }

    init(_ view: Content) {
      self.view = view
      draw()
    }

    /// Draws the view if it is due.
    func draw() {
      guard isDue else { return }
      isDue = false
      drawn += 1
      canvas = withObservationTracking {
        var canvas = Canvas()
        view.draw(on: &canvas)
        return canvas
      } onChange: { [weak self] in
        MainActor.assumeIsolated { self?.isDue = true }
      }
    }

    /// Draws the view in another environment.
    func redraw() {
      isDue = true
      draw()
    }

    /// Runs the view's tasks, and draws the view if they changed it.
    func appear() async {
      for task in canvas.tasks { await task() }
      draw()
    }

    /// Taps a button that is on the screen.
    func tap(_ button: String) {
      canvas.buttons[button]?()
      redraw()
    }
  }
#endif
