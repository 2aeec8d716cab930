import Observation

extension FetchedResultsController {
  /// The collapsed sections, whose rows are hidden while their headers stay visible.
  ///
  /// Set this property to collapse or expand sections. The delegate and the observers receive the resulting changes to
  /// the list as one minimal batch. After that, ``results`` and all notifications omit the rows of the collapsed
  /// sections, so changes to these hidden rows aren't reported. To read the hidden rows, use `results.expanded`, which
  /// contains all rows. A visible row has the same index path in `results` and in `results.expanded`.
  ///
  /// The controller keeps a separate set of collapsed sections for every ``Sectioning`` that the request uses. If you
  /// change the sectioning and later change it back, the same sections are collapsed again. If you set this property
  /// inside a callback, the list changes after the current update cycle.
  public var collapsedSections: CollapsedSections {
    get {
      use {
        registrar.access(self, keyPath: \.collapsedSections)
        return presentation.collapsed
      }
    }
    set {
      use {
        registrar.withMutation(of: self, keyPath: \.collapsedSections) { presentation.collapsed = newValue }
        guard phase.hasFetched else { return }
        presentation.causes.insert(.collapse)
        group.deliver(only: self)
      }
    }
  }

  /// Hides the rows of a section.
  ///
  /// - Parameter key: The section's key. If the list doesn't have the section yet, the section is collapsed when it is
  ///   added.
  public func collapseSection(_ key: SectionKey) { collapsedSections.collapse(key) }

  /// Shows the rows of a section.
  ///
  /// - Parameter key: The section's key. If the list doesn't have the section yet, the section is expanded when it is
  ///   added.
  public func expandSection(_ key: SectionKey) { collapsedSections.expand(key) }
}

extension ListRequest {
  /// The criterion that groups the rows into sections.
  var criterion: SectionCriterion { section?.rules.criterion ?? .whole }
}
