import Annals

extension TableUpdate {
  /// Checks that the table has every index, before the update or after it.
  func checkBounds() throws(TableException) {
    for (name, sections) in [
      ("delete", batch.deletedSections), ("move", batch.movedSections.map(\.from)), ("reload", batch.reloadedSections),
    ] {
      for section in sections where !old.indices.contains(section) {
        throw TableException(
          reason: "attempt to \(name) section \(section), but there are only \(old.count) sections before the update")
      }
    }
    for (name, sections) in [
      ("insert", batch.insertedSections), ("move a section to", batch.movedSections.map(\.to)),
    ] {
      for section in sections where !new.indices.contains(section) {
        throw TableException(
          reason: "attempt to \(name) section \(section), but there are only \(new.count) sections after the update")
      }
    }
    for (name, paths) in [
      ("delete", batch.deletedRows), ("move", batch.movedRows.map(\.from)), ("reload", batch.reloadedRows),
    ] {
      for path in paths { try checkBounds(path, old, "\(name) row \(path.row) from", "before") }
    }
    for (name, paths) in [("insert", batch.insertedRows), ("move", batch.movedRows.map(\.to))] {
      for path in paths { try checkBounds(path, new, "\(name) row \(path.row) into", "after") }
    }
  }

  private func checkBounds(
    _ path: RowPath, _ counts: [Int], _ what: String, _ when: String
  ) throws(TableException) {
    try require(
      counts.indices.contains(path.section),
      "attempt to \(what) section \(path.section), but there are only \(counts.count) sections \(when) the update")
    try require(
      (0..<counts[path.section]).contains(path.row),
      "attempt to \(what) section \(path.section), which only contains \(counts[path.section]) rows \(when) the update")
  }

  /// Checks that nothing leaves a path twice, and that nothing arrives at a path twice.
  func checkTwice() throws(TableException) {
    try checkTwice(
      [("delete", batch.deletedRows), ("reload", batch.reloadedRows), ("move", batch.movedRows.map(\.from))],
      "from the same index path")
    try checkTwice(
      [("insert", batch.insertedRows), ("move", batch.movedRows.map(\.to))], "to the same index path")
    try checkTwice(
      [
        ("delete", batch.deletedSections), ("reload", batch.reloadedSections),
        ("move", batch.movedSections.map(\.from)),
      ], "from the same section")
    try checkTwice(
      [("insert", batch.insertedSections), ("move", batch.movedSections.map(\.to))], "to the same section")
  }

  private func checkTwice<Place: Hashable>(
    _ groups: [(name: String, places: [Place])], _ what: String
  ) throws(TableException) {
    var seen: [Place: String] = [:]
    for (name, places) in groups {
      for place in places {
        if let other = seen.updateValue(name, forKey: place) {
          let article = other == "insert" ? "an" : "a"
          let names = other == name ? "two \(name)s" : "\(article) \(other) and a \(name)"
          throw TableException(reason: "attempt to perform \(names) \(what) (\(place))")
        }
      }
    }
  }

  /// Checks that rows do not move out of deleted sections or into inserted ones, and that nothing else touches moved
  /// sections.
  func checkSections() throws(TableException) {
    let gone = Set(batch.deletedSections + batch.reloadedSections)
    let fresh = Set(batch.insertedSections)
    for move in batch.movedRows {
      try require(!gone.contains(move.from.section), "cannot move a row from a deleted section (\(move.from.section))")
      try require(
        !fresh.contains(move.to.section), "cannot move a row into a newly inserted section (\(move.to.section))")
    }
    for move in batch.movedSections {
      try require(move.from != move.to, "cannot move section \(move.from) to where it is")
      let leaving = batch.deletedRows + batch.reloadedRows + batch.movedRows.map(\.from)
      let coming = batch.insertedRows + batch.movedRows.map(\.to)
      try require(
        !leaving.contains { $0.section == move.from } && !coming.contains { $0.section == move.to },
        "cannot change rows of section \(move.from), which moves to \(move.to) in the same update")
    }
  }
}
