import Synchronization

/// An event type's upcasting steps, by stored type and schema.
package struct UpcasterChain: Sendable {
  /// The present schema.
  let schema: Int
  private let currentNames: [ExactString: String]
  private let steps: [ExactString: Steps]

  struct Steps: Sendable {
    var bySchema: [Int: UpcastStep] = [:]
    /// The step that drops events of its schema and of later schemas, or `nil`.
    var drop: UpcastStep?

    /// Returns the step from a schema.
    func step(from schema: Int, present: Int) -> UpcastStep? {
      if let step = bySchema[schema] { return step }
      if let drop, (drop.from...max(drop.from, present)).contains(schema) { return drop }
      return nil
    }
  }

  /// Creates a chain of steps without checking for problems.
  init(_ upcasters: [Upcaster], schema: Int, formerNames: [String: String]) {
    self.schema = schema
    currentNames = Dictionary(formerNames.map { (ExactString($0.key), $0.value) }) { first, _ in first }
    var steps: [ExactString: Steps] = [:]
    for step in upcasters.flatMap(\.steps) {
      if step.to == nil {
        let name = ExactString(step.type)
        if let drop = steps[name]?.drop, drop.from <= step.from { continue }
        steps[name, default: Steps()].drop = step
      } else {
        steps[ExactString(step.type), default: Steps()].bySchema[step.from] = step
      }
    }
    self.steps = steps
  }

  /// Creates the chain of an event type's steps, or throws if they have problems.
  package init(
    _ upcasters: [Upcaster], schema: Int, formerNames: [String: String] = [:], of type: String,
    isCase: (String) -> Bool
  ) throws(EventCodingError) {
    let problems = Self.problems(of: upcasters, schema: schema, formerNames: formerNames, isCase: isCase)
    guard problems.isEmpty else {
      let list = problems.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: ". ")
      throw EventCodingError(
        .unsuitableUpcasters,
        "the upcasting steps of \(type), whose schema version is \(schema), are inconsistent, so they can't convert "
          + "events; correct these problems: \(list)")
    }
    self.init(upcasters, schema: schema, formerNames: formerNames)
  }

  /// Returns a stored type's current name, which is the stored type itself unless the stored type is a former name.
  func currentName(of type: String) -> String {
    currentNames.isEmpty ? type : currentNames[ExactString(type)] ?? type
  }

  /// Returns the steps of a stored type by its current name, or `nil`.
  func steps(of name: String) -> Steps? { steps.isEmpty ? nil : steps[ExactString(name)] }

  /// The former names and the sources of steps, in alphabetical order.
  var pastNames: [String] { Set(currentNames.keys).union(steps.keys).sorted().map(\.text) }

  /// Returns the other stored types whose events can be converted to events of the given types.
  ///
  /// Without steps, the result is empty.
  func origins(of names: Set<String>) -> Set<String> {
    if steps.isEmpty, currentNames.isEmpty { return [] }
    var reached = Set(names.map(ExactString.init))
    var count = 0
    while count < reached.count {
      count = reached.count
      for (name, steps) in steps {
        let made = steps.bySchema.values.flatMap(\.into).map { ExactString(currentName(of: $0)) }
        if !reached.isDisjoint(with: made) { reached.insert(name) }
      }
      for (former, name) in currentNames where reached.contains(ExactString(name)) { reached.insert(former) }
    }
    return Set(reached.map(\.text)).subtracting(names)
  }

  /// Applies steps to a stored event until no step applies.
  ///
  /// - Parameters:
  ///   - name: The current name of the stored type.
  ///   - schema: The payload's schema, at most the present schema.
  ///   - payload: The payload.
  ///   - coder: A coder of payloads, for steps with Swift types.
  ///   - context: A closure that returns the event's context. It is called only by steps that need the context.
  /// - Returns: The events in order, with their current names and with schemas for which no further step exists.
  /// - Throws: An error with the code `notUpcast` if a step throws or a step is missing.
  package func upcast(
    _ name: String, schema: Int, payload: String?, _ coder: PayloadCoder, _ context: () -> Upcaster.Context
  ) throws(EventCodingError) -> [(name: String, payload: String)] {
    var done: [(name: String, payload: String)] = []
    // The last element is processed next, so that a step's results take the place of its event.
    var waiting = [(name: name, schema: schema, payload: UpcastPayload(payload))]
    while var event = waiting.popLast() {
      let steps = steps(of: event.name)
      guard let steps, let step = steps.step(from: event.schema, present: self.schema) else {
        if steps != nil, event.schema < self.schema { throw noStep(from: UpcastStage(event.name, event.schema)) }
        done.append((event.name, event.payload.text))
        continue
      }
      guard let to = step.to else { continue }
      do {
        for output in try apply(step, to: &event.payload, coder, context).reversed() {
          waiting.append((currentName(of: output.name), to, output.payload))
        }
      } catch {
        throw EventCodingError(
          .notUpcast,
          "the upcasting step from \(UpcastStage(step.type, step.from)) to \(step.into.joined(separator: ", ")) "
            + "(schema version \(to)) failed: \(described(error))")
      }
    }
    return done
  }

  private func apply(
    _ step: UpcastStep, to payload: inout UpcastPayload, _ coder: PayloadCoder, _ context: () -> Upcaster.Context
  ) throws -> [(name: String, payload: UpcastPayload)] {
    switch step.change {
    case .none: return step.into.map { ($0, payload) }
    case .json(let change):
      var value = try payload.value()
      try change(&value, context)
      return step.into.map { ($0, UpcastPayload(value)) }
    case .text(let change):
      payload.text = try change(payload.text, coder, context)
      return step.into.map { ($0, payload) }
    case .split(let change):
      return try change(try payload.value(), context).map { output in
        guard step.into.contains(where: { ExactString.exactlyEqual($0, output.type) }) else {
          throw EventCodingError(
            .notUpcast,
            "the step returned an event of the type \(output.type), but declares only "
              + "\(step.into.joined(separator: ", ")); add the type \(output.type) to the step's declaration")
        }
        return (output.type, UpcastPayload(output.payload))
      }
    }
  }

  private func noStep(from stage: UpcastStage) -> EventCodingError {
    EventCodingError(
      .notUpcast,
      "no upcasting step converts \(stage) to the current schema version, \(schema), although \(stage.name) has "
        + "steps from other schema versions. Add a step, or `Upcaster.unchanged` if the payload stays the same")
  }
}

extension UpcasterChain {
  private static let known = Mutex<[ObjectIdentifier: UpcasterChain]>([:])

  /// Returns the steps of an event type, which are checked once per process.
  static func of<E: Event>(_ type: E.Type, isCase: (String) -> Bool) throws(EventCodingError) -> UpcasterChain {
    let key = ObjectIdentifier(type)
    if let chain = known.withLock({ $0[key] }) { return chain }
    let chain = try UpcasterChain(
      E.upcasters, schema: E.schema, formerNames: E.formerNames, of: "\(E.self)", isCase: isCase)
    known.withLock { $0[key] = chain }
    return chain
  }

  /// Returns a description of an event type's steps and former names.
  ///
  /// Saved lists compare the description to detect changes.
  package static func shape<E: Event>(of type: E.Type) -> [String] {
    if let union = type as? any EventUnion.Type {
      return union.eventTypes.flatMap { ["\($0.typePrefix) schema \($0.schema)"] + shape(of: $0) }
    }
    return E.upcasters.flatMap(\.steps).map { step in
      // The description also shows that the step keeps the payload, because a later program could replace the step
      // with a step that changes the payload.
      if case .none = step.change, step.to != nil { return step.description + ", the payload as it is" }
      return step.description
    }
      + E.formerNames.map { "\($0.key) is \($0.value)" }.sorted { ExactString($0) < ExactString($1) }
  }
}
