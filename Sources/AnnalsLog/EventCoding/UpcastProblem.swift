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
      "an upcasting step starts at \(stage), but schema versions start at 1; correct the step's schema version"
    case .goesBack(let stage, let to):
      "the step from \(stage) produces the earlier schema version \(to); change the step so that it produces version "
        + "\(stage.schema) or later"
    case .beyond(let stage, let to, let present):
      "the step from \(stage) produces schema version \(to), but the event type's current schema version is "
        + "\(present); increase the event type's `schema`, or correct the step"
    case .duplicate(let stage):
      "expected one step from \(stage), found several; combine these steps, or correct the schema version of one of "
        + "them"
    case .hole(let stage, let present):
      "a step produces \(stage), but no step converts this event to the current schema version, \(present); add a step "
        + "from \(stage), or `Upcaster.unchanged` if the payload stays the same"
    case .cycle(let stages):
      "the steps from these events form a cycle: \(stages.map(\.description).joined(separator: ", ")); change one of "
        + "the steps so that it produces an event with a case in the event type"
    case .unknownName(let stage, let source):
      "the step from \(source) produces \(stage), but no case has that name; correct the name, or add the case"
    case .formerName(let stage, let currentName):
      "a step starts at \(stage), but \(stage.name) is a former name of \(currentName). Former names are "
        + "replaced by current names before the steps run, so this step never runs. Start the step at "
        + "\(currentName), or remove the former name and add a renaming step"
    case .lostFormerName(let name, let currentName):
      "the former name \(name) refers to \(currentName), but no case has the name \(currentName); correct the name, or "
        + "add the case"
    }
  }
}
