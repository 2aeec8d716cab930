/// A problem with an event type's upcasting steps.
package enum UpcastProblem: Hashable, Sendable, CustomStringConvertible {
  /// A step from an invalid schema.
  case schemaBelowOne(UpcastStage)
  /// A step to an earlier schema.
  case goesBack(UpcastStage, to: Int)
  /// A step from or to a schema that is newer than the type's present schema.
  case beyond(UpcastStage, to: Int, present: Int)
  /// Several steps from the same type and schema.
  case duplicate(UpcastStage)
  /// A stage (a stored type at an older schema) that is the result of a step but for which no next step exists.
  case hole(UpcastStage, present: Int)
  /// A cycle of steps, sorted by name.
  case cycle([UpcastStage])
  /// A step whose result has a stored name without a case.
  case unknownName(UpcastStage, from: UpcastStage)
  /// A step from a former name. Such a step is never applied, because former names are replaced before steps are
  /// applied.
  case formerName(UpcastStage, currentName: String)
  /// A former name whose current name has neither a case nor a step.
  case lostFormerName(String, currentName: String)

  package var description: String {
    switch self {
    case .schemaBelowOne(let stage):
      "a step starts at \(stage), but the lowest schema is 1"
    case .goesBack(let stage, let to):
      "the step from \(stage) ends at schema \(to): expected schema \(stage.schema) or later"
    case .beyond(let stage, let to, let present):
      "the step from \(stage) to schema \(to) is beyond the current schema \(present): raise the type's schema, or "
        + "correct the step"
    case .duplicate(let stage):
      "expected one step from \(stage), found several: join them, or correct a schema number"
    case .hole(let stage, let present):
      "a step ends at \(stage), but no step continues to the current schema \(present): add a step from \(stage), or "
        + "declare the event unchanged"
    case .cycle(let stages):
      "these steps form a cycle: \(stages.map(\.description).joined(separator: ", ")); expected a last step that ends "
        + "at a case"
    case .unknownName(let stage, let source):
      "the step from \(source) ends at \(stage), but no case has that name: correct the name, or add the case"
    case .formerName(let stage, let currentName):
      "a step starts at \(stage), a former name of \(currentName), but events with the former name are read as "
        + "\(currentName): write the step from \(currentName), or remove the former name and write a renaming step"
    case .lostFormerName(let name, let currentName):
      "the former name \(name) refers to \(currentName), but no case has that name: correct the name, or add the case"
    }
  }
}
