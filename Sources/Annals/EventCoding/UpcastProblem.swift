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
      "a step starts at \(stage), but the lowest schema is 1"
    case .goesBack(let stage, let to):
      "the step from \(stage) ends at schema \(to): expected schema \(stage.schema) or later"
    case .beyond(let stage, let to, let present):
      "the step from \(stage) to schema \(to) is beyond the current schema \(present): raise the type's schema, or "
        + "correct the step"
    case .duplicate(let stage):
      "expected one step from \(stage), found several: join them, or correct a schema number"
    case .hole(let stage, let present):
      "a step ends at \(stage), but no step continues to the current schema \(present): add a step from there, or "
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
