extension Results {
  /// The same list with the rows of some sections hidden; their headers stay.
  ///
  /// It is a list like another: the changes from one such list to the next are exact and minimal. Limit and offset have
  /// cut the list before, and count hidden rows. A row that is shown has the path that it has in ``expanded``.
  ///
  /// - Parameter sections: The sections to collapse; what was collapsed before does not count.
  /// - Returns: The list at the same position.
  /// - Complexity: O(c log s) for c sections that are named, O(s) where all but some are collapsed.
  public func collapsing(_ sections: CollapsedSections) -> Results {
    collapsing(sections, knowing: nil)
  }

  /// The same, knowing a list that was collapsed and may have much in common with this one.
  ///
  /// - Complexity: O(k log s) if k sections are collapsed that were not, or are others.
  package func collapsing(_ sections: CollapsedSections, knowing known: Results?) -> Results {
    if sections == storage.collapsed { return self }
    return Results(ListStorage(storage, collapsing: sections, knowing: known?.storage), at: position)
  }

  /// The sections whose rows are hidden.
  public var collapsedSections: CollapsedSections { storage.collapsed }

  /// The list with all rows, those of collapsed sections too.
  public var expanded: Results { collapsing(.none) }
}

extension Results {
  /// How many sections, as they are shown, are other objects than those of another list.
  package func sectionsNotShared(with other: Results) -> Int {
    var count = 0
    shown.difference(from: other.shown) { _ in count += 1 }
    return count
  }
}
