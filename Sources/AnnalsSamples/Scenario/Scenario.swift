/// A sample's story: a filled log, a screen on it, and what happens next.
package struct Scenario {
  /// One thing that happens.
  package struct Step {
    /// What happens, in a sentence.
    package let title: String
    /// What Core Data's controller would have made of it, if that is another thing.
    package var remark: String?
    /// True if a short tour shows the step.
    package var isOnTour = false
    /// The screen that shows what came of it.
    package let screen: AnyListScreen
    /// What else there is to say after it.
    package var lines: () -> [String] = { [] }
    /// Makes it happen.
    package let act: () throws -> Void
  }

  /// The sample's word in the tool.
  package let name: String
  /// What the sample shows, in a sentence.
  package let summary: String
  /// The screen as it was opened.
  package let screen: AnyListScreen
  /// What happens, in order.
  package let steps: [Step]

  init(name: String, summary: String, screen: AnyListScreen, steps: [Step]) {
    (self.name, self.summary, self.screen, self.steps) = (name, summary, screen, steps)
  }
}
