import Annals
import AnnalsSQLite

extension Subcommand {
  static let subjects = Subcommand(
    name: "subjects", operands: ["LOG", "[GLOB]"],
    summary: "List the people whom personal fields are about.",
    details: [
      "For each one: how many values the log has, how many were erased, and where the",
      "first and the last event with a field is. GLOB chooses names: * is any text, ? any",
      "character. Nothing found is exit status 1.",
    ],
    options: [Option("--limit", short: "-n", "N", "Print N subjects at most.")],
    examples: ["annals subjects shop.annals", "annals subjects shop.annals 'customer-*' --json"],
    run: { try $0.runSubjects() })
}

extension Session {
  fileprivate func runSubjects() throws -> ReplayError.Status {
    let glob = arguments.operands.dropFirst().first.map { Glob($0) }
    let limit = try arguments.number("--limit")
    let found = try openLog().subjects().filter { glob?.matches($0.name) ?? true }
    let subjects = found.prefix(limit ?? found.count)
    for subject in subjects {
      if isJSON {
        try printJSON(
          "{\"subject\":\(JSONValue.quoted(subject.name)),\"values\":\(subject.values),\"erased\":\(subject.erased),"
            + "\"empty\":\(subject.empty),\"first\":\(subject.events.map { "\($0.lowerBound)" } ?? "null"),"
            + "\"last\":\(subject.events.map { "\($0.upperBound)" } ?? "null")}")
      } else {
        let erased = subject.erased > 0 ? ", \(subject.erased) erased" : ""
        let empty = subject.empty > 0 ? ", \(subject.empty) came without a value" : ""
        let events = subject.events.map { range in
          range.lowerBound == range.upperBound ? "  \(range.lowerBound)" : "  \(range.lowerBound)…\(range.upperBound)"
        }
        try print(
          Text.safe("\(subject.name)  \(Text.counted(subject.values, "value"))\(erased)\(empty)\(events ?? "")"))
      }
    }
    if subjects.count < found.count {
      say("\(Text.counted(found.count, "subject")) in all; \(Text.counted(subjects.count, "is", "are")) printed")
    }
    if found.isEmpty {
      say(glob == nil ? "the log has no personal fields" : "the log has no personal fields of such a subject")
      return .negative
    }
    return .done
  }
}
