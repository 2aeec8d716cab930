import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// Random chains beside the simplest code that could be right.
@Suite struct UpcasterChainTests {
  /// A step in the simplest words.
  struct Step: Equatable {
    enum Kind: CaseIterable {
      case changed, renamed, split, dropped, unchanged
    }

    var kind: Kind
    var name: String
    var from: Int
    var to: Int
    var into: [String]
    /// What the step adds to the trace of an event that it takes.
    var mark: Int

    var upcaster: Upcaster {
      let mark = JSONValue(integerLiteral: mark)
      @Sendable func marked(_ payload: JSONValue) -> JSONValue {
        ["trace": .array((payload["trace"]?.array ?? []) + [mark])]
      }
      switch kind {
      case .changed: return .changed(name, from: from, to: to) { $0 = marked($0) }
      case .renamed: return .renamed(name, from: from, to: to, as: into[0])
      case .split:
        return .split(name, from: from, to: to, into: into) { [into] payload in
          into.map { Upcaster.Output($0, marked(payload)) }
        }
      case .dropped: return .dropped(name, from: from)
      case .unchanged: return .unchanged(name, from: from, to: to)
      }
    }

    /// The types of what comes out.
    var targets: [String] {
      switch kind {
      case .changed, .unchanged: [name]
      case .renamed: [into[0]]
      case .split: into
      case .dropped: []
      }
    }

    /// True if the step takes an event.
    func takes(_ name: String, _ schema: Int, present: Int) -> Bool {
      name == self.name && (kind == .dropped ? schema >= from && schema <= max(present, from) : schema == from)
    }
  }

  static let names = ["A", "B", "C", "D"]
  /// Names that have a case.
  static let cases: Set<String> = ["A", "B"]

  /// Steps of any kind, mostly wrong together.
  private static func steps(present: Int) -> Generator<[Step]> {
    let schema = Generator.int(in: 0...present + 1)
    let one = zip(
      zip(Generator<Step.Kind>.anyCase(), .element(of: names)), zip(schema, .int(in: -1...2)),
      .array(of: .element(of: names), count: 1...2)
    ).map { what, schemas, into in
      Step(
        kind: what.0, name: what.1, from: schemas.0, to: schemas.0 + schemas.1, into: into, mark: 0)
    }
    return .array(of: one, count: 0...6).map { steps in
      steps.enumerated().map { number, step in
        var step = step
        step.mark = number
        return step
      }
    }
  }

  /// Every problem, found by walking each way that there is.
  private func naiveProblems(_ steps: [Step], present: Int) -> Set<UpcastProblem> {
    var problems: Set<UpcastProblem> = []
    func sources(_ name: String, _ schema: Int) -> [Step] {
      steps.filter { $0.takes(name, schema, present: present) }
    }
    for (index, step) in steps.enumerated() {
      let stage = UpcastStage(step.name, step.from)
      let to = step.kind == .dropped ? step.from : step.to
      if step.from < 1 { problems.insert(.schemaBelowOne(stage)) }
      if to < step.from { problems.insert(.goesBack(stage, to: to)) }
      if step.from > present || to > present { problems.insert(.beyond(stage, to: to, present: present)) }
      for (other, earlier) in steps.enumerated() where other != index && earlier.name == step.name {
        if earlier.from == step.from { problems.insert(.duplicate(stage)) }
        if earlier.kind == .dropped, earlier.from < step.from { problems.insert(.duplicate(stage)) }
      }
      guard step.kind != .dropped, to >= step.from, to <= present else { continue }
      for name in step.targets where sources(name, to).isEmpty {
        let stage = UpcastStage(name, to)
        let isKnown = Self.cases.contains(name) || steps.contains { $0.name == name }
        if to == present ? Self.cases.contains(name) : false { continue }
        problems.insert(
          to < present && isKnown
            ? .hole(stage, present: present) : .unknownName(stage, from: UpcastStage(step.name, step.from)))
      }
    }
    // Names that lead to themselves in one schema, by walking from each.
    func leads(_ name: String, to goal: String, _ schema: Int, _ depth: Int) -> Bool {
      guard depth > 0 else { return false }
      return steps.contains { step in
        step.kind != .dropped && step.name == name && step.from == schema && step.to == schema
          && step.targets.contains { $0 == goal || leads($0, to: goal, schema, depth - 1) }
      }
    }
    for schema in 0...present + 1 {
      for name in Self.names where leads(name, to: name, schema, 4) {
        let cycle = Self.names.filter { $0 == name || leads(name, to: $0, schema, 4) && leads($0, to: name, schema, 4) }
        problems.insert(.cycle(cycle.map { UpcastStage($0, schema) }))
      }
    }
    return problems
  }

  @Test func `what is wrong with steps is found exactly where a walk along every way finds it`() throws {
    let cases = Generator.int(in: 1...3).flatMap { present in
      Self.steps(present: present).map { (present: present, steps: $0) }
    }
    try check(cases, settings: CheckSettings(examples: 3_000, seed: 1, environment: [:])) { present, steps in
      let found = UpcasterChain.problems(
        of: steps.map(\.upcaster), schema: present, isCase: { Self.cases.contains($0) })
      let expected = naiveProblems(steps, present: present)
      try ensureEqual(Set(found), expected)
      try ensureEqual(found.count, expected.count)
      sometimes(found.isEmpty && steps.count > 1, "steps that fit")
      for problem in found {
        switch problem {
        case .schemaBelowOne: sometimes(true, "a schema below 1")
        case .goesBack: sometimes(true, "a step back")
        case .beyond: sometimes(true, "a step beyond the present")
        case .duplicate: sometimes(true, "two steps from one place")
        case .hole: sometimes(true, "a hole")
        case .cycle(let stages): sometimes(stages.count > 1, "a cycle of several")
        case .unknownName: sometimes(true, "an unknown name")
        case .formerName, .lostFormerName: break
        }
      }
    }
  }

  /// Steps that fit: for each name and schema one, which leads to a later schema or, at the same schema, to a later
  /// name.
  private static func chain(present: Int) -> Generator<[Step]> {
    Generator { draw in
      var steps: [Step] = []
      // The names that end somewhere come first, so that a name may lead to those before it.
      for (index, name) in names.enumerated() {
        let isCase = cases.contains(name)
        for schema in 1...present where !(isCase && schema == present) {
          let kind = try draw(.element(of: Step.Kind.allCases.filter { isCase || $0 == .renamed || $0 == .split }))
          if kind == .dropped, try draw(.int(in: 0...4)) < 4 { continue }
          let before = index > 0 && !isCase ? Array(names[..<index]) : Array(cases.sorted())
          let stays = !isCase && schema == present
          let to = stays ? schema : schema + 1
          steps.append(
            Step(
              kind: kind, name: name, from: schema, to: to,
              into: try draw(.array(of: .element(of: before), count: 1...3)),
              mark: steps.count))
          if kind == .dropped { break }
        }
      }
      return steps
    }
  }

  /// The composed function: what a stored event comes to, by asking for each step in turn.
  private func naiveBring(
    _ name: String, _ schema: Int, _ trace: [Int], _ steps: [Step], present: Int
  ) -> [(String, [Int])]? {
    guard let step = steps.first(where: { $0.takes(name, schema, present: present) }) else {
      return schema < present && steps.contains { $0.name == name } ? nil : [(name, trace)]
    }
    var all: [(String, [Int])] = []
    for target in step.targets {
      let adds = step.kind == .changed || step.kind == .split
      guard let some = naiveBring(target, step.to, trace + (adds ? [step.mark] : []), steps, present: present) else {
        return nil
      }
      all += some
    }
    return all
  }

  @Test func `steps one after another are the composed function, from every type and schema`() throws {
    let cases = Generator.int(in: 1...5).flatMap { present in
      Self.chain(present: present).map { (present: present, steps: $0) }
    }
    try check(cases, settings: CheckSettings(examples: 600, seed: 1, environment: [:])) { present, steps in
      // Not all of these fit; those that do not are the other test's.
      let problems = UpcasterChain.problems(
        of: steps.map(\.upcaster), schema: present, isCase: { Self.cases.contains($0) })
      try assume(problems.isEmpty)
      let chain = try UpcasterChain(
        steps.map(\.upcaster), schema: present, of: "E", isCase: { Self.cases.contains($0) })
      for name in Self.names {
        for schema in 1...present {
          let expected = naiveBring(name, schema, [], steps, present: present)
          let found: [(String, [Int])]?
          do {
            let context = Upcaster.Context(stream: "s", time: .distantPast, metadata: [:])
            let events = try chain.upcast(name, schema: schema, payload: #"{"trace":[]}"#, PayloadCoder()) { context }
            found = try events.map {
              ($0.name, try JSONValue(parsing: $0.payload)["trace"]?.array?.compactMap(\.int) ?? [])
            }
          } catch let error as EventCodingError {
            try ensureEqual(error.code, .notUpcast)
            found = nil
          }
          try ensureEqual("\(found.map { "\($0)" } ?? "none")", "\(expected.map { "\($0)" } ?? "none")")
          sometimes((found?.count ?? 0) > 3, "an event that is split again and again")
          sometimes((found?.map(\.1.count).max() ?? 0) > 3, "many steps for one event")
          sometimes(found?.isEmpty == true, "a dropped event")
          sometimes(found == nil, "an event that no step is for")
        }
      }
    }
  }
}
