import AnnalsTesting

/// Decides which unsynced changes survive a loss of power.
///
/// SQLite's documentation says what it expects of a disk. Bytes that were being written may be old, new or anything
/// else (sqlite.org/psow.html). A sector may be written in part, and writes may happen in any order unless there is a
/// sync between them (sqlite.org/atomiccommit.html, 2). If a disk does not protect neighbouring bytes, all of a sector
/// may be anything.
struct PowerLoss {
  /// How much of the unsynced data survives.
  private enum Mood: CaseIterable {
    case all, none, beginning, some, littleOf, mostOf
  }

  private enum Fate {
    case kept, lost, torn
  }

  /// The smallest unit that is written at once.
  private static let atom = 512

  private let sparesNeighbours: Bool
  private var random: SplitMix64
  private let mood: Mood
  /// True if gaps in a file are zeros; false if they contain what was on the disk before.
  private let hasCleanGaps: Bool

  init(sparesNeighbours: Bool, random: SplitMix64) {
    self.sparesNeighbours = sparesNeighbours
    self.random = random
    mood = Mood.allCases.randomElement(using: &self.random) ?? .some
    hasCleanGaps = Bool.random(using: &self.random)
  }

  private mutating func chance(_ some: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < some }

  private mutating func fates(_ count: Int) -> [Fate] {
    if count == 0 { return [] }
    let end = Int.random(in: 0..<count, using: &random)
    return (0..<count).map { place in
      switch mood {
      case .all: .kept
      case .none: .lost
      case .beginning: place < end ? .kept : place == end ? .torn : .lost
      case .some: chance(1, of: 3) ? .kept : chance(1, of: 2) ? .lost : .torn
      case .littleOf: chance(1, of: 8) ? .kept : chance(1, of: 8) ? .torn : .lost
      case .mostOf: chance(1, of: 8) ? .lost : chance(1, of: 8) ? .torn : .kept
      }
    }
  }

  /// The names of the files.
  mutating func names(_ synced: [String: Int], _ namings: [(name: String, file: Int?)]) -> [(String, Int)] {
    var names = synced
    for (naming, fate) in zip(namings, fates(namings.count)) where fate == .kept || fate == .torn && chance(1, of: 2) {
      names[naming.name] = naming.file
    }
    return names.sorted { $0.key < $1.key }
  }

  mutating func contents(of file: PowerDisk.File) -> [UInt8] {
    var bytes = file.synced
    for (change, fate) in zip(file.changes, fates(file.changes.count)) {
      switch (fate, change) {
      case (.lost, _): continue
      case (.kept, _), (.torn, .cut): apply(change, to: &bytes)
      case (.torn, .write(let new, let place)): tear(new, place, &bytes)
      }
    }
    return bytes
  }

  private mutating func apply(_ change: PowerDisk.Change, to bytes: inout [UInt8]) {
    var random = random.split()
    change.apply(to: &bytes) { hasCleanGaps ? 0 : UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Writes each piece, or not, or something else.
  private mutating func tear(_ new: [UInt8], _ place: Int, _ bytes: inout [UInt8]) {
    let size = sparesNeighbours ? Self.atom : WatchedFiles.sectorSize
    var start = place
    while start < place + new.count {
      let end = min((start / size + 1) * size, place + new.count)
      let piece = Array(new[start - place..<end - place])
      if chance(1, of: 3) {
        apply(.write(piece, at: start), to: &bytes)
      } else if chance(1, of: 2) {
        damage(sparesNeighbours ? start..<end : start / size * size..<(start / size + 1) * size, &bytes, atLeast: end)
      }
      start = end
    }
  }

  /// Fills a range with zeros, ones or anything else, up to the end of the file.
  private mutating func damage(_ range: Range<Int>, _ bytes: inout [UInt8], atLeast end: Int) {
    if bytes.count < end { apply(.cut(to: end), to: &bytes) }
    let filler: UInt8? = [0, 0xFF, nil][Int.random(in: 0..<3, using: &random)]
    for place in range.clamped(to: 0..<bytes.count) {
      bytes[place] = filler ?? UInt8(truncatingIfNeeded: random.next())
    }
  }

  /// What remains of the shared memory; usually nothing.
  mutating func sharedMemory() -> [UInt8]? {
    guard chance(1, of: 3) else { return nil }
    let isClean = chance(1, of: 2)
    return (0..<32_768).map { _ in isClean ? 0 : UInt8(truncatingIfNeeded: random.next()) }
  }
}
