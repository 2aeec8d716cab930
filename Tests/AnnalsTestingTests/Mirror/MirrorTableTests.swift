import Annals
import AnnalsTesting
import Testing

@Suite struct MirrorTableTests {
  private func violation(_ body: () throws -> Void) -> MirrorTable<Cell>.Violation? {
    #expect(throws: MirrorTable<Cell>.Violation.self) { try body() }
  }

  // MARK: Brackets and the data source

  @Test func `the data source must have the old list when a bracket begins`() throws {
    for profile in [.strict, .lenient] as [MirrorTable<Cell>.Profile] {
      var table = MirrorTable(Results("a: x y"), profile: profile)
      let early = violation { try table.begin(showing: Results("a: y")) }
      #expect(early?.rule == .countsBefore)
      #expect(
        early?.sentence == "before the update, the sections of the table have [2] rows, but the sections of the data "
          + "source have [1] rows; keep the old list in the data source until the update begins")
      #expect(throws: Never.self) { try table.begin(showing: Results("a: x y")) }
    }
  }

  @Test func `after a reload no change may follow in a bracket`() throws {
    for profile in [.strict, .lenient] as [MirrorTable<Cell>.Profile] {
      var table = MirrorTable(Results("a: x y"), profile: profile)
      try table.begin()
      try table.tell(.delete("x", [0, 0]))
      table.reloadData(showing: Results("a: z"))
      #expect(violation { try table.tell(.delete("z", [0, 0])) }?.rule == .afterReload)
      #expect(violation { try table.tell(.delete(0, "a")) }?.rule == .afterReload)
      try table.end(showing: Results("a: z"))
      #expect(table.shows(Results("a: z")))
      try table.begin()
      try table.tell(.delete("z", [0, 0]))
      try table.end()
      #expect(table.shows(Results("a: ")))
    }
  }

  @Test func `brackets of a table view nest and the outermost counts; a strict table wants none inside another`() throws
  {
    var table = MirrorTable(Results("a: x y"), profile: .lenient)
    try table.begin()
    try table.tell(.delete("x", [0, 0]))
    try table.begin()
    try table.tell(.delete("y", [0, 1]))
    try table.end()
    #expect(table.shows(Results("a: x y")))
    try table.end()
    #expect(table.shows(Results("a: ")))
    var strict = MirrorTable(Results("a: x y"))
    try strict.begin()
    #expect(violation { try strict.begin() }?.rule == .bracket)
  }

  @Test func `outside of a bracket a table view makes a change by itself, and a strict table refuses it`() throws {
    var table = MirrorTable(Results("a: x y"), profile: .lenient)
    try table.tell(.delete("x", [0, 0]))
    #expect(table.shows(Results("a: y")) == false)  // y's rank is another in that list
    #expect(table.sections.map { $0.rows.map(\.id) } == [["y"]])
    #expect(violation { try table.end() }?.rule == .bracket)
    var strict = MirrorTable(Results("a: x y"))
    #expect(violation { try strict.tell(.delete("x", [0, 0])) }?.rule == .bracket)
    #expect(violation { try strict.end() }?.rule == .bracket)
  }

  // MARK: What table views take

  @Test func `rows of sections that go or come may be listed or not, in a lenient table`() throws {
    let (old, new) = (Results<Cell>("a: x y | b: p"), Results<Cell>("a: x y | c: q r"))
    let sections: [SectionChange] = [.delete(1, "b"), .insert(1, "c")]
    for rows in [[], [.delete("p", [1, 0])], [.insert("r", [1, 1])]] as [[RowChange<Cell>]] {
      var table = MirrorTable(old, profile: .lenient)
      try table.apply(sections: sections, rows: rows, showing: new)
      #expect(table.shows(new))
    }
    var table = MirrorTable(old, profile: .lenient)
    let outside = violation {
      try table.apply(sections: sections, rows: [.delete("p", [1, 1])], showing: new)
    }
    #expect(outside?.rule == .bounds)
  }

  @Test func `an empty bracket changes nothing`() throws {
    var table = MirrorTable(Results("a: x"))
    try table.apply(sections: [], rows: [], showing: Results("a: x"))
    #expect(table.shows(Results("a: x")))
  }

  @Test func `a move does not reload the cell`() throws {
    let (old, new) = (Results<Cell>("a: x y"), Results<Cell>("a: y x=new"))
    var table = MirrorTable(old, profile: .lenient)
    try table.apply(sections: [], rows: [.move("x", [0, 0], [0, 1])], showing: new)
    #expect(table.sections[0].rows.map(\.text) == ["", ""])
    let stale = violation { try table.ensureShows(new) }
    #expect(stale?.rule == .stale)
  }

  @Test func `a table view shows what its data source has, whatever the changes were`() throws {
    var table = MirrorTable(Results<Cell>("a: x"), profile: .lenient)
    try table.apply(
      sections: [], rows: [.insert("n", [0, 1]), .update("x", [0, 0], [0, 0], text: "other")],
      showing: Results("a: x=there n=new"))
    #expect(table.sections[0].rows.map(\.text) == ["there", "new"])
  }

  @Test func `a lenient table moves rows between sections whose numbers change, and updates them`() throws {
    let (old, new) = (Results<Cell>("a: x y | b: p"), Results<Cell>("n: m | a: y | b: x p=new"))
    var table = MirrorTable(old, profile: .lenient)
    try table.apply(
      sections: [.insert(0, "n")], rows: [.move("x", [0, 0], [2, 0]), .update("p", [1, 0], [2, 1])], showing: new)
    #expect(table.sections.map { $0.rows.map(\.id) } == [["m"], ["y"], ["x", "p"]])
    #expect(table.sections[2].rows[1].text == "new")
  }

  // MARK: What only a strict table asks

  @Test func `a change that was not reported is drawn beside what is shown`() throws {
    let (old, new) = (
      Results<Cell>("a: x y z | b: p q | c: r s"), Results<Cell>("a: x y z | b: p q=new | c: r s")
    )
    var table = MirrorTable(old)
    let stale = violation { try table.ensureShows(new) }
    #expect(stale?.rule == .stale)
    let expected = """
      the row at [1, 1] still shows its old content, because no change was reported (S6)
          expected                                     | shown
          …                                            | …
          ["b"]                                        | ["b"]
            Cell(id: "p", group: "b", rank: 0, text: … |   Cell(id: "p", group: "b", rank: 0, text: …
        ≠   Cell(id: "q", group: "b", rank: 1, text: … |   Cell(id: "q", group: "b", rank: 1, text: …
          ["c"]                                        | ["c"]
            Cell(id: "r", group: "c", rank: 0, text: … |   Cell(id: "r", group: "c", rank: 0, text: …
          …                                            | …
      """
    #expect(stale?.description == expected)
    let title = violation {
      try table.ensureShows(Results("a: x y z | b: p q | c: r s", titles: ["c": "C"]))
    }
    #expect(title?.rule == .stale && title?.sentence.contains("title") == true)
    try table.apply(sections: [], rows: [.update(row: new.sections[1][1], at: [1, 1], newAt: [1, 1])], showing: new)
    try table.ensureShows(new)
  }

  @Test func `rows that come and go stand beside a gap`() {
    let table = MirrorTable(Results<Cell>("a: x y"))
    let violation = violation { try table.ensureShows(Results("a: y z")) }
    #expect(violation?.rule == .divergence)
    let lines = violation?.picture.map { line in line.split(separator: " ").joined(separator: " ") } ?? []
    #expect(lines[2].hasPrefix("≠ | Cell(id: \"x\""))
    #expect(lines[4].hasPrefix("≠ Cell(id: \"z\"") && lines[4].hasSuffix("… |"))
  }

  @Test func `a batch begins where the one before ended`() throws {
    let lists = ["a: x", "a: x y", "a: x y z"].map { Results<Cell>($0) }
    var table = MirrorTable(lists[0])
    #expect(violation { try table.apply(Changes(from: lists[1], to: lists[2])) }?.rule == .gap)
    try table.apply(Changes(from: lists[0], to: lists[1]))
    try table.apply(Changes(from: lists[1], to: lists[2]))
    #expect(table.shows(lists[2]))
  }

  @Test func `no row moves that need not, and none whose keys are what they were`() throws {
    // x moved to the end. Moving y and z instead would be right but wasteful.
    let request = ListRequest<Cell>(sort: [.ascending(\.rank)])
    func list(_ ranks: KeyValuePairs<String, Int>) -> Results<Cell> {
      var rows = Rows<Cell>()
      for (id, rank) in ranks { rows.insert(Cell(id: id, group: "", rank: rank)) }
      return Results(request, of: rows, at: 0)
    }
    let old = list(["x": 0, "y": 1, "z": 2])
    let new = list(["x": 9, "y": 5, "z": 6])
    let wasteful: [RowChange<Cell>] = [.move("y", [0, 1], [0, 0]), .move("z", [0, 2], [0, 1])]
    let table = MirrorTable(old)
    let many = violation { try table.ensureFewestMoves([], wasteful, from: old, to: new) }
    #expect(
      many?.rule == .needlessMove
        && many?.sentence == "2 rows move inside section 0, although moving 1 would be enough"
    )
    let fixed = violation {
      try table.ensureFewestMoves([], [.move("y", [0, 1], [0, 0])], from: old, to: list(["y": 1, "x": 1, "z": 2]))
    }
    #expect(fixed?.rule == .needlessMove)
    #expect(fixed?.sentence == "the row at [0, 1] moves, although its section and sort keys are unchanged")
    #expect(throws: Never.self) { try table.ensureFewestMoves([], [.move("x", [0, 0], [0, 2])], from: old, to: new) }
  }

  // MARK: One edit at a time

  private static let lists = Generator<Results<Cell>> { draw in
    let keys = try draw(.shuffled(["a", "b", "c"]))
    let ids = try draw(.shuffled(["p", "q", "r", "s", "t", "u"]))
    var sections: [String] = []
    var rest = ids[...]
    for key in keys where try draw(.bool(0.8)) {
      let rows = (0..<(try draw(.int(in: 0...3)))).compactMap { _ in rest.popFirst() }
      sections.append("\(key): " + rows.joined(separator: " "))
    }
    let titles = try draw(.element(of: [[:], ["a": "A"]]))
    return Results(sections.joined(separator: " | "), titles: titles)
  }

  private static let moves: [MoveReporting] = [.rows, [], .sections, [.rows, .sections]]

  @Test func `a batch as single edits leads to the new list, whatever is reported as a move`() throws {
    let settings = CheckSettings(examples: 400)
    try check(Self.lists, Self.lists, .element(of: Self.moves), settings: settings) { old, new, moves in
      let changes = Changes(from: old, to: new).reporting(moves)
      var table = MirrorTable(old, profile: .sequential)
      for edit in changes.edits { try table.apply(edit) }
      try table.ensureShows(new)
      var whole = MirrorTable(old, profile: .sequential)
      try whole.apply(changes)
      let sectionMoves = changes.sections.count { if case .move = $0 { true } else { false } }
      let moves = changes.edits.count { if case .section(.move) = $0 { true } else { false } }
      try ensure(moves <= sectionMoves, "\(moves) sections move one by one, and \(sectionMoves) in a batch")
      sometimes(moves > 0, "a section that moves")
      sometimes(
        changes.rows.contains {
          if case .move(_, let from, let to, _) = $0 { from.section != to.section } else { false }
        },
        "a row that moves to another section")
    }
  }

  @Test func `indices of a batch, applied one at a time, are refused or lead elsewhere`() throws {
    // GRDB's users had this problem when they gave batches to NSTableView.
    let (old, new) = (Results<Cell>("a: x y z"), Results<Cell>("a: z"))
    let changes = Changes(from: old, to: new)
    var table = MirrorTable(old, profile: .sequential)
    #expect(violation { try table.apply(sections: changes.sections, rows: changes.rows, showing: new) } != nil)
    try table.apply(changes)
    #expect(table.shows(new))
  }

  @Test(
    arguments: [
      (.delete("x", [0, 2]), .bounds), (.delete("x", [0, 1]), .identity), (.delete("x", [1, 0]), .bounds),
      (.insert("n", [0, 3]), .bounds), (.insert("n", [1, 0]), .bounds), (.move("x", [0, 0], [0, 2]), .bounds),
      (.move("x", [0, 0], [1, 0]), .bounds), (.update("x", [0, 0], [0, 1]), .identity),
      (.update(row: Cell(id: "x", group: "a", rank: 0), at: [0, 0], newAt: [0, 0]), .needlessUpdate),
    ] as [(RowChange<Cell>, MirrorRule)])
  func `an edit of a row fits the list as the edit before left it`(edit: RowChange<Cell>, rule: MirrorRule) {
    let list = Results<Cell>("a: x y")
    var table = MirrorTable(list, profile: .sequential)
    #expect(violation { try table.apply(.row(edit)) }?.rule == rule)
    #expect(table.shows(list))
  }

  @Test(
    arguments: [
      (.delete(1, "b"), .bounds), (.delete(0, "b"), .identity), (.insert(2, "b"), .bounds), (.move(0, 1, "a"), .bounds),
      (.move(1, 0, "a"), .bounds), (.update(0, 1, "a", "A"), .identity), (.update(0, 0, "a", "a"), .needlessUpdate),
    ] as [(SectionChange, MirrorRule)])
  func `an edit of a section fits the list as the edit before left it`(edit: SectionChange, rule: MirrorRule) {
    let list = Results<Cell>("a: x y")
    var table = MirrorTable(list, profile: .sequential)
    #expect(violation { try table.apply(.section(edit)) }?.rule == rule)
    #expect(table.shows(list))
  }

  @Test func `single edits lead to the list that there is in the end`() throws {
    var table = MirrorTable(Results<Cell>("a: x y"), profile: .sequential)
    try table.begin()
    try table.tell(.delete("x", [0, 0]))
    #expect(violation { try table.end(showing: Results("a: x y")) }?.rule == .divergence)
  }

  // MARK: The delegate

  @Test func `any two lists' changes are taken by strict and by lenient tables`() throws {
    try check(Self.lists, Self.lists, .element(of: Self.moves), settings: CheckSettings(examples: 200)) {
      old, new, moves in
      for profile in MirrorTable<Cell>.Profile.allCases {
        var table = MirrorTable(old, profile: profile)
        try table.apply(Changes(from: old, to: new).reporting(moves))
        try table.ensureShows(new)
      }
    }
  }
}
