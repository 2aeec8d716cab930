extension UpcasterChain {
  /// Returns all problems of upcasting steps, in the order in which the steps are declared.
  ///
  /// - Complexity: O(s²) for s steps.
  package static func problems(
    of upcasters: [Upcaster], schema: Int, formerNames: [String: String] = [:], isCase: (String) -> Bool
  ) -> [UpcastProblem] {
    let steps = upcasters.flatMap(\.steps)
    let chain = UpcasterChain(upcasters, schema: schema, formerNames: formerNames)
    var problems: [UpcastProblem] = []
    func report(_ problem: UpcastProblem) {
      if !problems.contains(problem) { problems.append(problem) }
    }
    var sources: Set<UpcastStage> = []
    for step in steps {
      let stage = UpcastStage(step.type, step.from)
      let to = step.to ?? step.from
      if step.from < 1 { report(.schemaBelowOne(stage)) }
      if to < step.from { report(.goesBack(stage, to: to)) }
      if max(to, step.from) > schema { report(.beyond(stage, to: to, present: schema)) }
      let currentName = chain.currentName(of: step.type)
      if ExactString(currentName) != ExactString(step.type) {
        report(.formerName(stage, currentName: currentName))
      }
      if !sources.insert(stage).inserted { report(.duplicate(stage)) }
    }
    // A step that drops events from a schema onwards duplicates every later step of the same type.
    for drop in steps where drop.to == nil {
      for step in steps where step.from > drop.from && ExactString.exactlyEqual(step.type, drop.type) {
        report(.duplicate(UpcastStage(step.type, step.from)))
      }
    }
    for step in steps {
      guard let to = step.to, to >= step.from, to <= schema else { continue }
      for name in step.into.map({ chain.currentName(of: $0) }) {
        let known = chain.steps(of: name)
        if known?.step(from: to, present: schema) != nil { continue }
        let stage = UpcastStage(name, to)
        if to < schema, known != nil || isCase(name) {
          report(.hole(stage, present: schema))
        } else if !isCase(name) {
          report(.unknownName(stage, from: UpcastStage(step.type, step.from)))
        }
      }
    }
    for cycle in cycles(among: steps, chain) { report(.cycle(cycle)) }
    for (name, currentName) in formerNames.sorted(by: { ExactString($0.key) < ExactString($1.key) })
    where !isCase(currentName) && chain.steps(of: currentName) == nil {
      report(.lostFormerName(name, currentName: currentName))
    }
    return problems
  }

  /// Returns the cycles of stored types and schemas.
  ///
  /// A cycle can only consist of steps that don't change the schema.
  private static func cycles(among steps: [UpcastStep], _ chain: UpcasterChain) -> [[UpcastStage]] {
    var next: [UpcastStage: Set<UpcastStage>] = [:]
    for step in steps where step.to == step.from {
      next[UpcastStage(step.type, step.from), default: []]
        .formUnion(step.into.map { UpcastStage(chain.currentName(of: $0), step.from) })
    }
    func reached(from start: UpcastStage) -> Set<UpcastStage> {
      var reached: Set<UpcastStage> = []
      var waiting = [start]
      while let stage = waiting.popLast() {
        for target in next[stage] ?? [] where reached.insert(target).inserted { waiting.append(target) }
      }
      return reached
    }
    let reach = Dictionary(uniqueKeysWithValues: next.keys.map { ($0, reached(from: $0)) })
    var cycles: [[UpcastStage]] = []
    for stage in next.keys.sorted() {
      guard let around = reach[stage], around.contains(stage), !cycles.contains(where: { $0.contains(stage) }) else {
        continue
      }
      cycles.append(around.filter { reach[$0]?.contains(stage) == true }.sorted())
    }
    return cycles
  }
}
