import Annals
import AnnalsSamples

/// The pieces in plain dictionaries, and the options of the list: the truth for the screens.
struct StressWorld {
  /// What the sections are cut by.
  enum Cut: Hashable {
    case box
    case half
    case whole
    /// By nothing, in a screen without sections.
    case never
  }

  private(set) var pieces: [Int: Piece] = [:]
  /// By box, 0 for none.
  private(set) var titles: [Int: String] = [:]
  var filter = 0
  var offset = 0
  var limit: Int?
  var sort = 0
  var section = 0
  /// By cut: the collapsed boxes or halves, and whether all others are collapsed.
  private(set) var collapsed: [Cut: (keys: Set<Int>, others: Bool)] = [:]

  var cut: Cut {
    switch section {
    case 3: .whole
    case 4: .half
    default: .box
    }
  }

  mutating func apply(_ event: StressEvent) {
    switch event {
    case .put(let piece): pieces[piece.id] = piece
    case .ranked(let id, let rank): pieces[id]?.rank = rank
    case .boxed(let id, let box): pieces[id]?.box = box
    case .noted(let id, let note): pieces[id]?.note = note
    case .removed(let id): pieces[id] = nil
    case .titled(let box, let title): titles[box ?? 0] = "title \(title)"
    case .numbered: break
    }
  }

  /// Takes the pieces and titles of another time.
  mutating func goBack(to other: StressWorld) { (pieces, titles) = (other.pieces, other.titles) }

  mutating func collapse(_ key: Int, _ isCollapsed: Bool, in cut: Cut) {
    var (keys, others) = collapsed[cut] ?? ([], false)
    if isCollapsed != others { keys.insert(key) } else { keys.remove(key) }
    collapsed[cut] = (keys, others)
  }

  mutating func collapseAll(_ isCollapsed: Bool, in cut: Cut) { collapsed[cut] = ([], isCollapsed) }

  /// The list as a screen must show it.
  ///
  /// - Parameters:
  ///   - isCut: False for a screen without sections.
  ///   - namesBoxes: False if boxes have no titles of their own.
  ///   - order: What a piece is sorted by, before its id.
  ///   - title: The title of a box without a title of its own.
  ///   - text: The text of a piece's row.
  /// - Returns: The sections, cut by limit and offset, collapsed ones without rows.
  func list(
    isCut: Bool, namesBoxes: Bool, order: (Piece) -> [Int], title: (Int) -> String, text: (Piece) -> String
  ) -> [TableSection] {
    let cut = isCut ? cut : .never
    let isWhole = cut == .whole || cut == .never
    let fixed: Set<Int> = isWhole ? [0] : isCut && [5, 7].contains(section) ? [0, 1, 1_000] : []
    var groups: [Int: [(key: [Int], piece: Piece)]] = [:]
    for key in fixed { groups[key] = [] }
    for piece in pieces.values where filter == 0 || piece.rank % 4 != filter {
      let key =
        switch cut {
        case .box: piece.box ?? 0
        case .half: piece.rank / 2
        case .whole, .never: 0
        }
      groups[key, default: []].append((order(piece) + [piece.id], piece))
    }
    let firsts = groups.compactMapValues { $0.map(\.key).min { $0.lexicographicallyPrecedes($1) } }
    func first(_ key: Int) -> [Int]? { firsts[key] }
    let names = groups.keys.map { key -> (title: String, key: Int) in
      let name =
        switch cut {
        case .box: (namesBoxes ? titles[key] : nil) ?? title(key)
        case .half: "\(key)"
        case .whole, .never: ""
        }
      return (name, key)
    }.sorted { left, right in
      if isCut, section == 1 { return left < right }
      // Where an order descends, sections that it does not tell apart descend by their keys.
      if isCut, section == 8 { return left.key > right.key }
      guard isCut, [6, 7].contains(section) else { return left.key < right.key }
      // As the first rows stand, before limit and offset; sections without rows come last, by their keys.
      switch (first(left.key), first(right.key)) {
      case (let one?, let two?):
        return section == 7 ? two.lexicographicallyPrecedes(one) : one.lexicographicallyPrecedes(two)
      case (nil, nil): return section == 7 ? left.key > right.key : left.key < right.key
      case (let one, _): return one != nil
      }
    }
    var (skip, left) = (offset, limit ?? .max)
    return names.compactMap { title, key in
      var rows = (groups[key] ?? []).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.piece)[...]
      let skipped = min(skip, rows.count)
      rows = rows.dropFirst(skipped).prefix(left)
      (skip, left) = (skip - skipped, left - rows.count)
      if rows.isEmpty, !fixed.contains(key) { return nil }
      let (keys, others) = collapsed[cut] ?? ([], false)
      let isHidden = (!isWhole && keys.contains(key)) != others
      return TableSection(title, isHidden ? [] : rows.map(text))
    }
  }
}
