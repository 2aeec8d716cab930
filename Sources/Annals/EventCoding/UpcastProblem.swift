/// Something that is wrong with the steps of an event type.
package enum UpcastProblem: Hashable, Sendable, CustomStringConvertible {
  /// A step from a schema that there cannot be.
  case schemaBelowOne(UpcastRung)
  /// A step that leads to an earlier schema.
  case goesBack(UpcastRung, to: Int)
  /// A step from or to a schema that the type does not have yet.
  case beyond(UpcastRung, to: Int, present: Int)
  /// Several steps from one type and schema.
  case duplicate(UpcastRung)
  /// A step ends here, and no other leads on.
  case hole(UpcastRung, present: Int)
  /// Steps that lead back to where they began, in order of their names.
  case cycle([UpcastRung])
  /// A step ends at a name that no case has.
  case unknownName(UpcastRung, from: UpcastRung)
  /// A step from a former name, which no event has when it comes to the steps.
  case formerName(UpcastRung, today: String)
  /// A former name that stands for a name that no case has and no step is from.
  case lostFormerName(String, today: String)

  package var description: String {
    switch self {
    case .schemaBelowOne(let rung):
      "a step is from \(rung): schemas begin at 1"
    case .goesBack(let rung, let to):
      "the step from \(rung) leads back to schema \(to): expected \(rung.schema) or a later one"
    case .beyond(let rung, let to, let present):
      "the step from \(rung) to schema \(to) leads beyond the present schema \(present): raise the type's schema to it, or "
        + "correct the step"
    case .duplicate(let rung):
      "several steps are from \(rung), found where one is expected: join them, or correct a number"
    case .hole(let rung, let present):
      "a step leads to \(rung), and none leads on to the present schema \(present): add a step from it, or say that it is "
        + "unchanged"
    case .cycle(let rungs):
      "these lead back to themselves: \(rungs.map(\.description).joined(separator: ", ")); expected an end at a case"
    case .unknownName(let rung, let source):
      "the step from \(source) ends at \(rung), and no case has that name: correct the name, or add the case"
    case .formerName(let rung, let today):
      "a step is from \(rung), a former name of \(today), as which its events come: write the step from \(today), or take "
        + "the former name out and write a renaming step"
    case .lostFormerName(let name, let today):
      "the former name \(name) stands for \(today), and no case has that name: correct it, or add the case"
    }
  }
}
