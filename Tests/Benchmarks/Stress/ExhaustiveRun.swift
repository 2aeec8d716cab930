import Annals
import AnnalsTesting

/// Applies the changes from every small list to every other to a strict table.
package struct ExhaustiveRun {
  /// How many pairs of lists the table took.
  package private(set) var pairs = 0

  private let request = ListRequest<Piece>(sort: [.ascending(\.rank)], section: .by(\.box))
  private var places: [[Int: (box: Int, rank: Int)]] = [[:]]

  /// Makes all lists with limited numbers of rows and sections, and each row at every index of its section.
  ///
  /// In half of them a row's sort key is its index, so that an inserted row shifts the keys of others. In the other
  /// half it is ten times the index plus the row's own number, so that most keys differ.
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

  /// Applies every pair to a table.
  ///
  /// - Throws: What the table refuses.
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
