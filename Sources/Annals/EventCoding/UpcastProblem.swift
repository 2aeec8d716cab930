/// Something that is wrong with the steps of an event type.
package enum UpcastProblem: Hashable, Sendable, CustomStringConvertible {
  /// A step from a schema that there cannot be.
  case schemaBelowOne(UpcastStage)
  /// A step that leads to an earlier schema.
  case goesBack(UpcastStage, to: Int)
  /// A step from or to a schema that the type does not have yet.
  case beyond(UpcastStage, to: Int, present: Int)
  /// Several steps from one type and schema.
  case duplicate(UpcastStage)
  /// A step ends here, and no other leads on.
  case hole(UpcastStage, present: Int)
  /// Steps that lead back to where they began, in order of their names.
  case cycle([UpcastStage])
  /// A step ends at a name that no case has.
  case unknownName(UpcastStage, from: UpcastStage)
  /// A step from a former name, which no event has when it comes to the steps.
  case formerName(UpcastStage, currentName: String)
  /// A former name that stands for a name that no case has and no step is from.
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
