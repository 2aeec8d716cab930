import Annals
import AnnalsTesting

/// Drives a strict table from every small list to every other.
package struct ExhaustiveRun {
  /// How many pairs of lists were told.
  package private(set) var pairs = 0

  private let request = FetchRequest<Piece>(sort: [.ascending(\.rank)], section: .by(\.box))
  private var places: [[Int: (box: Int, rank: Int)]] = [[:]]

  /// All lists of up to some rows in up to some sections, each row at every place of its section.
  ///
  /// In half of them a row's sort key is its place, so that a row that comes shifts the keys of others; in half it is ten times
  /// the place and its own number, so that most keys differ.
  package init(rows: Int, sections: Int) {
    for id in 0..<rows {
      places += places.flatMap { place in
        (0..<sections).flatMap { box -> [[Int: (box: Int, rank: Int)]] in
          let count = place.values.filter { $0.box == box }.count
          return (0...count).map { rank in
            var next = place.mapValues { $0.box == box && $0.rank >= rank ? (box, $0.rank + 1) : $0 }
            next[id] = (box, rank)
            return next
          }
        }
      }
    }
  }

  /// Tells a table every pair.
  ///
  /// - Throws: What the table does not take.
  package mutating func run() throws {
    for factor in [1, 10] {
      let lists = places.map { place in
        var rows = Rows<Piece>()
        for (id, at) in place {
          rows.insert(Piece(id: id, box: at.box, rank: at.rank * factor + (factor == 1 ? 0 : id), note: 0))
        }
        return Results(request, of: rows, at: 0)
      }
      for old in lists {
        for new in lists {
          var table = MirrorTable(old)
          try table.apply(Changes(from: old, to: new))
          try ensure(table.shows(new), "the table shows another list")
          pairs += 1
        }
      }
    }
  }
}
