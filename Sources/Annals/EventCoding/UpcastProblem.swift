/// A problem with the steps of an event type.
package enum UpcastProblem: Hashable, Sendable, CustomStringConvertible {
  /// A step from an invalid schema.
  case schemaBelowOne(UpcastStage)
  /// A step to an earlier schema.
  case goesBack(UpcastStage, to: Int)
  /// A step from or to a schema that is newer than the type's.
  case beyond(UpcastStage, to: Int, present: Int)
  /// Several steps from the same type and schema.
  case duplicate(UpcastStage)
  /// A stage at which one step ends but no other begins.
  case hole(UpcastStage, present: Int)
  /// A cycle of steps, sorted by name.
  case cycle([UpcastStage])
  /// A step that ends at a name without a case.
  case unknownName(UpcastStage, from: UpcastStage)
  /// A step from a former name, which is replaced before steps are applied.
  case formerName(UpcastStage, currentName: String)
  /// A former name of a name that has neither a case nor a step.
  case lostFormerName(String, currentName: String)

  package var description: String {
    switch self {
    case .schemaBelowOne(let stage):
      "a step is from \(stage): schemas begin at 1"
    case .goesBack(let stage, let to):
      "the step from \(stage) leads back to schema \(to): expected \(stage.schema) or a later one"
    case .beyond(let stage, let to, let present):
      "the step from \(stage) to schema \(to) leads beyond the present schema \(present): raise the type's schema to "
        + "it, or correct the step"
    case .duplicate(let stage):
      "several steps are from \(stage), found where one is expected: join them, or correct a number"
    case .hole(let stage, let present):
      "a step leads to \(stage), and none leads on to the present schema \(present): add a step from it, or say that "
        + "it is unchanged"
    case .cycle(let stages):
      "these lead back to themselves: \(stages.map(\.description).joined(separator: ", ")); expected an end at a case"
    case .unknownName(let stage, let source):
      "the step from \(source) ends at \(stage), and no case has that name: correct the name, or add the case"
    case .formerName(let stage, let currentName):
      "a step is from \(stage), a former name of \(currentName), as which its events come: write the step from "
        + "\(currentName), or take "
        + "the former name out and write a renaming step"
    case .lostFormerName(let name, let currentName):
      "the former name \(name) stands for \(currentName), and no case has that name: correct it, or add the case"
    }
  }
}
