import Observation

extension FetchedResultsController {
  /// The sections whose rows are hidden; their headers stay.
  ///
  /// ``results`` and everything that the delegate and the observers hear are of the list with these sections collapsed:
  /// setting them is one ordinary, minimal batch, and what happens to hidden rows is no change. `results.expanded` has
  /// all rows, and a row that is shown has the same path there. Each cut into sections has a set of its own, which is
  /// kept while the request cuts otherwise. Inside a callback the list changes once the open bracket has closed.
  public var collapsedSections: CollapsedSections {
    get {
      use {
        registrar.access(self, keyPath: \.collapsedSections)
        return collapsed[wanted.criterion] ?? .none
      }
    }
    set {
      use {
        registrar.withMutation(of: self, keyPath: \.collapsedSections) { collapsed[wanted.criterion] = newValue }
        guard phase.hasFetched else { return }
        cause.insert(.collapse)
        group.deliver(only: self)
      }
    }
  }

  /// Hides the rows of a section.
  ///
  /// - Parameter key: The section's key; of a section that is not there too.
  public func collapseSection(_ key: SectionKey) { collapsedSections.collapse(key) }

  /// Shows the rows of a section.
  ///
  /// - Parameter key: The section's key; of a section that is not there too.
  public func expandSection(_ key: SectionKey) { collapsedSections.expand(key) }
}

extension FetchRequest {
  /// What the rows are cut into sections by.
  var criterion: SectionCriterion { section?.rules.criterion ?? .whole }
}
