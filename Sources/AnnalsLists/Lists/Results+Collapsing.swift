extension Results {
  /// Returns the same list with some sections collapsed.
  ///
  /// A collapsed section is shown with its header but without its rows.
  ///
  /// You can compute ``Changes`` between lists with different collapsed sections, as between all other lists. Applying
  /// the changes to the old list gives the new list, and no more rows move than necessary.
  ///
  /// The request's limit and offset are applied before rows are hidden, so hidden rows count toward both. A shown row
  /// has the same path as in ``expanded``.
  ///
  /// - Parameter sections: The sections to collapse. They replace the previously collapsed sections.
  /// - Returns: The list at the same position.
  /// - Complexity: O(c log s) for c keys in `sections`, and s sections in the list. O(s) if `sections` was made from
  ///   ``CollapsedSections/all`` or ``CollapsedSections/allExcept(_:)``.
  public func collapsing(_ sections: CollapsedSections) -> Results {
    collapsing(sections, knowing: nil)
  }

  /// Returns the same list as ``collapsing(_:)``, but reuses parts of a known collapsed list.
  ///
  /// - Complexity: O(k log s) if k sections are newly collapsed or changed.
  package func collapsing(_ sections: CollapsedSections, knowing known: Results?) -> Results {
    if sections == storage.collapsed { return self }
    return Results(ListStorage(storage, collapsing: sections, knowing: known?.storage), at: position)
  }

  /// The sections whose rows are hidden.
  public var collapsedSections: CollapsedSections { storage.collapsed }

  /// The same list with no section collapsed, so that it also shows the rows that were hidden.
  public var expanded: Results { collapsing(.none) }
}

extension Results {
  /// Returns the number of shown sections that another list doesn't share.
  package func sectionsNotShared(with other: Results) -> Int {
    var count = 0
    shown.difference(from: other.shown) { _ in count += 1 }
    return count
  }
}
