import AnnalsTesting

/// Programs that other libraries shrink slowly, or not to the shortest.
extension Problem {
  /// The towers of Hanoi, the jugs of water, a buffer that grows by parts, and files with permissions.
  package static var programs: [Problem] {
    [
      Problem("towers, any move", { AnyMoveTowers(discs: 3) }, leadsTo: sevenMoves),
      Problem("towers, permitted moves", { PermittedMoveTowers(discs: 3) }, leadsTo: sevenMoves),
      Problem(
        "jugs", { JugsMachine() },
        leadsTo: program(
          "fillBig()", "pourBigIntoSmall()", "emptySmall()", "pourBigIntoSmall()", "fillBig()", "pourBigIntoSmall()")),
      Problem(
        "digest", { DigestMachine() },
        leadsTo: program("add([0])", "add([\([String](repeating: "0", count: 16).joined(separator: ", "))])")),
      Problem(
        "folders", { FoldersMachine() },
        leadsTo: program("create(\"a\")", "create(\"b\")", "permit(\"a\", \"root\")", "move(\"b\", \"a\")")),
    ]
  }

  /// The solution for three discs: there is no other one of seven moves.
  private static var sevenMoves: String {
    let pegs = [(0, 2), (0, 1), (2, 1), (0, 2), (1, 0), (1, 2), (0, 2)]
    return pegs.map { "try system.move(from: \($0), to: \($1))" }.joined(separator: "|")
  }

  private static func program(_ calls: String...) -> String {
    calls.map { "try system.\($0)" }.joined(separator: "|")
  }
}
