extension UpcastLadder {
  /// All that is wrong with steps, in the order in which they are declared.
  ///
  /// - Complexity: O(s²) for s steps.
  package static func problems(
    of upcasters: [Upcaster], schema: Int, formerNames: [String: String] = [:], isCase: (String) -> Bool
  ) -> [UpcastProblem] {
    let steps = upcasters.flatMap(\.steps)
    let ladder = UpcastLadder(upcasters, schema: schema, formerNames: formerNames)
    var problems: [UpcastProblem] = []
    func report(_ problem: UpcastProblem) {
      if !problems.contains(problem) { problems.append(problem) }
    }
    var sources: Set<UpcastRung> = []
    for step in steps {
      let rung = UpcastRung(step.type, step.from)
      let to = step.to ?? step.from
      if step.from < 1 { report(.schemaBelowOne(rung)) }
      if to < step.from { report(.goesBack(rung, to: to)) }
      if max(to, step.from) > schema { report(.beyond(rung, to: to, present: schema)) }
      let today = ladder.today(step.type)
      if !ExactString.exactlyEqual(today, step.type) { report(.formerName(rung, today: today)) }
      if !sources.insert(rung).inserted { report(.duplicate(rung)) }
    }
    // A step that leaves events out from a schema on is a second one for every later step of that type.
    for drop in steps where drop.to == nil {
      for step in steps where step.from > drop.from && ExactString.exactlyEqual(step.type, drop.type) {
        report(.duplicate(UpcastRung(step.type, step.from)))
      }
    }
    for step in steps {
      guard let to = step.to, to >= step.from, to <= schema else { continue }
      for name in step.into.map(ladder.today) {
        let known = ladder.steps(of: name)
        if known?.step(from: to, present: schema) != nil { continue }
        let rung = UpcastRung(name, to)
        if to < schema, known != nil || isCase(name) {
          report(.hole(rung, present: schema))
        } else if !isCase(name) {
          report(.unknownName(rung, from: UpcastRung(step.type, step.from)))
        }
      }
    }
    for cycle in cycles(among: steps, ladder) { report(.cycle(cycle)) }
    for (name, today) in formerNames.sorted(by: { ExactString($0.key) < ExactString($1.key) })
    where !isCase(today) && ladder.steps(of: today) == nil {
      report(.lostFormerName(name, today: today))
    }
    return problems
  }

  /// The sets of types and schemas that lead to each other; only steps that stay in a schema can.
  private static func cycles(among steps: [UpcastStep], _ ladder: UpcastLadder) -> [[UpcastRung]] {
    var next: [UpcastRung: Set<UpcastRung>] = [:]
    for step in steps where step.to == step.from {
      next[UpcastRung(step.type, step.from), default: []]
        .formUnion(step.into.map { UpcastRung(ladder.today($0), step.from) })
    }
    func reached(from start: UpcastRung) -> Set<UpcastRung> {
      var reached: Set<UpcastRung> = []
      var waiting = [start]
      while let rung = waiting.popLast() {
        for target in next[rung] ?? [] where reached.insert(target).inserted { waiting.append(target) }
      }
      return reached
    }
    let reach = Dictionary(uniqueKeysWithValues: next.keys.map { ($0, reached(from: $0)) })
    var cycles: [[UpcastRung]] = []
    for rung in next.keys.sorted() {
      guard let around = reach[rung], around.contains(rung), !cycles.contains(where: { $0.contains(rung) }) else {
        continue
      }
      cycles.append(around.filter { reach[$0]?.contains(rung) == true }.sorted())
    }
    return cycles
  }
}
