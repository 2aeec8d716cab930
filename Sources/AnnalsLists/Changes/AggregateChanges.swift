/// A description of which aggregates (counts, sums and similar values of a list) changed, so that you can redraw only
/// the headers that show these aggregates.
///
/// The aggregates' values are in the old and the new list of ``Changes``. For an aggregate `total` of the whole list,
/// read `changes.old[total]` and `changes.new[total]`. For a section, read `changes.new[section.newIndex][total]`.
public struct AggregateChanges: Hashable, Sendable {
  /// A section that is in both lists, and has a changed aggregate.
  public struct Section: Hashable, Sendable {
    /// The section's index in the old list.
    public let index: Int
    /// The section's index in the new list.
    public let newIndex: Int
    /// The section's key.
    public let key: SectionKey
  }

  /// True if an aggregate of the whole list changed.
  public let isTotalChanged: Bool
  /// The sections with a changed aggregate, sorted by their index in the new list.
  ///
  /// The array doesn't include inserted sections, because a view creates new headers for these sections anyway. For the
  /// same reason, it doesn't include sections that were deleted and reinserted in the same batch.
  public let sections: [Section]

  /// True if no aggregate changed.
  public var isEmpty: Bool { !isTotalChanged && sections.isEmpty }

  /// A value without changed aggregates.
  package static let none = AggregateChanges(isTotalChanged: false, sections: [])
}

extension AggregateChanges {
  /// Finds the changed aggregates.
  ///
  /// - Parameters:
  ///   - old: The old list.
  ///   - new: The new list.
  ///   - changes: The changes of sections.
  /// - Complexity: O(k log s) if k of s sections changed, or O(s log s) if the two lists have different aggregates.
  init(from old: ListStorage, to new: ListStorage, _ changes: [SectionChange]) {
    let (before, after) = (old.list.total, new.list.total)
    if before === after {
      self = .none
      return
    }
    isTotalChanged = !AggregateSummary.areSame(before, after)
    var pairs: [(old: SectionNode, new: SectionNode)] = []
    if let before, let after, before.tally.aggregator.keepsSame(as: after.tally.aggregator) {
      pairs = Self.pairs(old.list.sections, new.list.sections).filter {
        !AggregateSummary.areSame($0.old.summary, $0.new.summary)
      }
    } else {
      pairs = new.list.sections.compactMap { node in
        old.list.header(node.header.id.key, hash: node.header.id.hash).flatMap { old.list.sections.find($0)?.node }
          .map { ($0, node) }
      }
    }
    let inserted = Self.inserted(changes)
    sections = pairs.compactMap { pair -> Section? in
      // Limit and offset might exclude the section.
      guard let index = old.shown.find(pair.old.header)?.rank,
        let newIndex = new.shown.find(pair.new.header)?.rank,
        !inserted.contains(newIndex)
      else { return nil }
      return Section(index: index, newIndex: newIndex, key: pair.new.header.id.name)
    }.sorted { $0.newIndex < $1.newIndex }
  }

  /// Returns the sections that both lists have, but with different section objects.
  private static func pairs(
    _ old: SortedTree<BySection>, _ new: SortedTree<BySection>
  ) -> [(old: SectionNode, new: SectionNode)] {
    var pairs: [(old: SectionNode, new: SectionNode)] = []
    var (gone, come): ([OrderKey: SectionNode], [SectionNode]) = ([:], [])
    new.difference(from: old) { change in
      switch change {
      case .removed(let node, _): gone[node.header.id.key] = node
      case .added(let node, _): come.append(node)
      case .replaced(let before, _, let after, _):
        if before.header.id.isSame(after.header.id) {
          pairs.append((before, after))
        } else {
          gone[before.header.id.key] = before
          come.append(after)
        }
      }
    }
    // Sections that changed their place.
    for node in come {
      if let before = gone[node.header.id.key] { pairs.append((before, node)) }
    }
    return pairs
  }
}

extension AggregateChanges {
  /// Returns the changes of aggregates without the sections that the given changes insert.
  func without(_ changes: [SectionChange]) -> AggregateChanges {
    let inserted = Self.inserted(changes)
    return inserted.isEmpty
      ? self
      : AggregateChanges(
        isTotalChanged: isTotalChanged, sections: sections.filter { !inserted.contains($0.newIndex) })
  }

  private static func inserted(_ changes: [SectionChange]) -> Set<Int> {
    Set(changes.compactMap { if case .insert(let index, _, _) = $0 { index } else { nil } })
  }
}
