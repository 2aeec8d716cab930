/// The script of a sample, with a log that contains events, a screen that shows the log, and further steps.
package struct Scenario {
  /// One step of the script.
  package struct Step {
    /// A sentence that describes the step.
    package let title: String
    /// A description of the behavior of Core Data's controller, if its behavior is different.
    package var remark: String?
    /// True if the step is part of the short tour.
    package var isOnTour = false
    /// True if the screen shows a draft, which has commands in addition to the log.
    package var isDraft = false
    /// The screen that shows the result.
    package let screen: AnyListScreen
    /// A closure that returns more lines to print after the step.
    package var lines: () -> [String] = { [] }
    /// A closure that performs the step.
    package let act: () throws -> Void
  }

  /// The sample's name in the tool.
  package let name: String
  /// A sentence that describes the sample.
  package let summary: String
  /// The screen before the first step.
  package let screen: AnyListScreen
  /// The steps, in order.
  package let steps: [Step]

  init(name: String, summary: String, screen: AnyListScreen, steps: [Step]) {
    self.name = name
    self.summary = summary
    self.screen = screen
    self.steps = steps
  }
}
