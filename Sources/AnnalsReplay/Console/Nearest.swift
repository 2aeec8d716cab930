/// The name that somebody may have meant.
package enum Nearest {
  /// The nearest of several names, if one is near: by letters added, left out, exchanged or swapped.
  package static func name(to word: String, among names: [String]) -> String? {
    let best = names.map { (name: $0, distance: distance(Array(word), Array($0))) }.min { $0.distance < $1.distance }
    guard let best, best.distance <= max(1, min(3, best.name.count / 3)) else { return nil }
    return best.name
  }

  /// The optimal string alignment distance (Boytsov 2011).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for i in 1..<max(1, left.count + 1) where i <= left.count {
      var row = [i]
      for j in 1..<max(1, right.count + 1) where j <= right.count {
        let exchange = rows[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, exchange)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
