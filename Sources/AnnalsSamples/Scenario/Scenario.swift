/// A sample's script: a log with events, a screen that shows it, and the steps that follow.
package struct Scenario {
  /// One step of the script.
  package struct Step {
    /// What happens, in a sentence.
    package let title: String
    /// What Core Data's controller would do instead, if it differs.
    package var remark: String?
    /// True if a short tour shows the step.
    package var isOnTour = false
    /// True if the screen shows a draft, which is ahead of the log.
    package var isDraft = false
    /// The screen that shows the result.
    package let screen: AnyListScreen
    /// Further lines to print after the step.
    package var lines: () -> [String] = { [] }
    /// Performs the step.
    package let act: () throws -> Void
  }

  /// The sample's name in the tool.
  package let name: String
  /// What the sample shows, in a sentence.
  package let summary: String
  /// The screen as it was opened.
  package let screen: AnyListScreen
  /// The steps, in order.
  package let steps: [Step]

  init(name: String, summary: String, screen: AnyListScreen, steps: [Step]) {
    (self.name, self.summary, self.screen, self.steps) = (name, summary, screen, steps)
  }
}
