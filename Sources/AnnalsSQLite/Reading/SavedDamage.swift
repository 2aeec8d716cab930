import AnnalsLog

extension CacheTables {
  /// Returns a description of every damaged part of the saved lists.
  func damaged() throws -> [String] {
    guard try exist else { return [] }
    var (sentences, numbers): ([String], Set<Int64>) = ([], [])
    try connection.ownStatement("SELECT number, name, fingerprint, generation, position, root, checksum FROM cache").run
    {
      row in
      let number = row.int(0)
      numbers.insert(number)
      let sum = Self.checksum(number, row.int(3), row.int(4), row.blob(5), row.text(1) ?? "", row.text(2) ?? "")
      // A list that is incomplete or was abandoned has no root yet.
      if row.int(3) > 0, Int64(sum) != row.int(6) {
        sentences.append(
          "the checksum of the saved list \(number), \(JSONValue.quoted(row.text(1) ?? "")), doesn't match its data")
      }
    }
    try connection.ownStatement("SELECT id, bytes, checksum FROM cache_page").run { row in
      let (cache, page) = (row.int(0) >> 32, row.int(0) & 0xFFFF_FFFF)
      if Int64(Self.checksum(ofPage: page, cache, row.blob(1))) != row.int(2) {
        sentences.append("the checksum of page \(page) of the saved list \(cache) doesn't match its data")
      } else if !numbers.contains(cache) {
        sentences.append("page \(page) belongs to the saved list \(cache), which is missing")
      }
    }
    return sentences
  }
}

extension SnapshotTable {
  /// Returns a description of every damaged saved state.
  func damage() throws -> [String] {
    guard try exist else { return [] }
    var sentences: [String] = []
    try connection.ownStatement(
      "SELECT stream, decider, fingerprint, version, position, state, checksum FROM snapshot"
    ).run { row in
      let sum = Self.checksum(
        row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? "", row.int(3), row.int(4), row.text(5) ?? "")
      if Int64(sum) != row.int(6) {
        sentences.append(
          "the checksum of the saved state (stream \(JSONValue.quoted(row.text(0) ?? "")), decider "
            + "\(row.text(1) ?? "")) doesn't match the state's data")
      }
    }
    return sentences
  }
}
