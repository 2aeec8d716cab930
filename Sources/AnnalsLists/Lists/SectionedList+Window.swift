extension SectionedList {
  /// Returns the list's sections with only the rows that remain after an offset and a limit are applied.
  ///
  /// Sections without any of these rows are omitted, except pinned sections, which remain without rows.
  ///
  /// - Complexity: O(log n) for n rows, plus O(f log n) for f pinned sections.
  func window(offset: Int, limit: Int?) -> SortedTree<BySection> {
    let total = sections.weight
    let low = min(max(offset, 0), total)
    let high = limit.map { low + min(max($0, 0), total - low) } ?? total
    if low == 0, high == total { return sections }
    var shown = SortedTree<BySection>()
    if low < high {
      let (first, last) = (sections.locate(weight: low), sections.locate(weight: high - 1))
      shown = sections.slice(first.rank..<last.rank + 1)
      cut(&shown, at: shown.count - 1) { 0..<min($0, last.rest + 1) }
      // The first section might also be the last section, so its end might already be truncated. In a lost list, the
      // section at index 0 might be another section.
      cut(&shown, at: 0) { min(first.rest, $0)..<$0 }
    }
    for header in headersByKey where header.isPinned {
      let empty = SectionNode(header, SortedTree())
      if shown.find(header) == nil { shown.insert(empty) }
    }
    return shown
  }

  private func cut(_ sections: inout SortedTree<BySection>, at rank: Int, _ range: (Int) -> Range<Int>) {
    let section = sections[rank]
    let range = range(section.rows.count)
    if range.count < section.rows.count {
      sections.replace(at: rank, by: SectionNode(section.header, section.rows.slice(range)))
    }
  }
}

extension SectionedList {
  /// The list's defects as sentences, or an empty array for a valid list.
  ///
  /// - Complexity: O(n log n).
  var defects: [String] {
    var found = ids.defects + sections.defects + headersByKey.defects + settings.defects
    if sections.count != headersByKey.count {
      found.append(
        "The list has \(sections.count) sections, but its index of section keys has \(headersByKey.count) keys.")
    }
    for section in sections {
      found += section.rows.defects
      let known = header(section.header.id.key, hash: section.header.id.hash)
      // In a saved list, the header found by the key is another object than the section's header.
      if known == nil || known?.order != section.header.order || known?.title != section.header.title {
        found.append(
          "The index of section keys has no entry for the section \(section.header.title), or an entry with another "
            + "order or title.")
      }
      if section.rows.isEmpty, !section.header.isPinned {
        found.append("The section \(section.header.title) is empty.")
      }
      for row in section.rows {
        if !row.section.isSame(section.header.id) { found.append("A section contains a row of another section.") }
        let known = ids.row(row.id)
        if known == nil || known !== row && known.map({ $0.hasKey(of: row) && $0.section.isSame(row.section) }) != true
        {
          found.append(
            "The index of row ids has no entry for a row of a section, or an entry with another key or section.")
        }
      }
    }
    return found
  }
}

extension Results {
  /// The list's defects as sentences, or an empty array for a valid list.
  ///
  /// - Complexity: O(n log n).
  package var defects: [String] { list.defects + shown.defects }
}
