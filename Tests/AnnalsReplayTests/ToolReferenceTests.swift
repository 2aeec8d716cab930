import AnnalsLog
import Foundation
import Testing
@testable import AnnalsReplay

/// Compares `Docs/ToolReference.md` with the table of subcommands.
///
/// `ANNALS_WRITE_TOOL_REFERENCE=1 swift test --filter ToolReferenceTests` writes the generated parts of the page.
@Suite struct ToolReferenceTests {
  private static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// The generated parts of the page by name.
  private static var parts: [(name: String, lines: [String])] {
    let statuses = ReplayError.Status.meanings.map { "| \($0.rawValue) | \($1) |" }
    let variables = ManPage.variables.map { "- `\($0.replacing(", ", with: "`, `"))`: \(markdown($1))" }
    return ReplayTool.subcommands.map { ($0.name, lines(of: $0)) }
      + HelpTopic.allCases.map { ("help \($0.rawValue)", lines(of: $0)) }
      + [
        ("objects", sharedShapes.map { "- `\($0.key)`: `\($0.value)`" }),
        ("exit status", ["| status | meaning |", "|---|---|"] + statuses), ("environment", variables),
      ].map { ($0, $1.flatMap(wrapped)) }
  }

  private static func lines(of subcommand: Subcommand) -> [String] {
    let own = subcommand.options.filter { $0.topic == nil }
    let topics = HelpTopic.topics(of: subcommand).map { "[\($0.rawValue)](#\($0.rawValue))" }.joined(separator: ", ")
    var lines = ["### \(subcommand.name)", "", "    \(subcommand.usage(tool: "annals"))", ""]
    lines += wrapped(markdown(subcommand.summary)) + [""]
    lines += paragraphs(subcommand.paragraphs) + options(own)
    lines += subcommand.examples.map { "    \($0)" } + [""]
    if let output = subcommand.output {
      let form = output.form == .lines ? "one value per line" : "one value"
      lines += wrapped("JSON, \(form): \(markdown(output.summary))")
      lines += [""] + shapes(of: output).flatMap { Text.wrapped($0, to: 116, indent: "    ", hanging: "      ") } + [""]
    }
    return lines + wrapped("Shared options: \(topics)")
  }

  private static func lines(of topic: HelpTopic) -> [String] {
    wrapped(markdown(topic.summary)) + [""] + paragraphs(Subcommand.paragraphs(topic.details)) + options(topic.shared)
  }

  private static func options(_ options: [Subcommand.Option]) -> [String] {
    options.flatMap { option in
      let isListed = option.choices.allSatisfy { option.help.contains($0) }
      let choices = isListed ? "" : " \(option.value ?? "") is \(Text.either(option.choices))."
      return wrapped("- `\(option.head)`: \(markdown(option.help + choices))")
    } + (options.isEmpty ? [] : [""])
  }

  private static func paragraphs(_ paragraphs: [String]) -> [String] {
    var lines: [String] = []
    for paragraph in paragraphs where !paragraph.isEmpty {
      let isCode = paragraph.hasPrefix(" ")
      // Lines of one block of code have no empty lines between them.
      if isCode, lines.dropLast().last?.hasPrefix("    ") == true { lines.removeLast() }
      lines += (isCode ? ["   " + paragraph] : wrapped(markdown(paragraph))) + [""]
    }
    return lines
  }

  private static func wrapped(_ text: String) -> [String] {
    text.hasPrefix("|") ? [text] : Text.wrapped(text, to: 118, hanging: text.hasPrefix("- ") ? "  " : "")
  }

  /// Returns a help text as Markdown, with options as code.
  private static func markdown(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    return parts.enumerated().map { index, part in
      if index % 2 == 1 { return "`\(part)`" }
      return part.replacing(#/[*_<\[|]/#) { "\\\($0.output)" }.replacing(#/--[a-z][a-z-]*/#) { "`\($0.output)`" }
    }.joined()
  }

  // MARK: - JSON

  private static var documents: [JSONValue] {
    ReplayTool.subcommands.compactMap { $0.output?.document(title: "") }
  }

  /// The members of the objects that several subcommands print, sorted by name.
  private static var sharedShapes: [(key: String, value: String)] {
    var shapes: [String: String] = [:]
    for document in documents {
      guard case .object(let definitions)? = document["$defs"] else { continue }
      for definition in definitions where definition.value["properties"] != nil {
        shapes[definition.name] = shape(definition.value)
      }
    }
    return shapes.sorted { $0.key < $1.key }
  }

  /// The forms of the values that a subcommand prints.
  private static func shapes(of output: SubcommandOutput) -> [String] {
    let document = output.document(title: "")
    if document["properties"] == nil, case .array(let cases)? = document["anyOf"] { return cases.map(shape) }
    return [shape(document)]
  }

  /// Returns the form of a value: `{id, path?, rows: [{…}]}`, and an empty string for a value without parts.
  ///
  /// An object that several subcommands print has its name instead.
  private static func shape(_ schema: JSONValue) -> String {
    if case .string(let reference)? = schema["$ref"] {
      let name = String(reference.split(separator: "/").last ?? "")
      return sharedNames.contains(name) ? name : ""
    }
    if case .object(let members)? = schema["properties"] {
      var required: Set<String> = []
      if case .array(let names)? = schema["required"] { required = Set(names.compactMap(\.string)) }
      let texts = members.map { member in
        let inner = shape(member.value)
        return member.name + (required.contains(member.name) ? "" : "?") + (inner.isEmpty ? "" : ": \(inner)")
      }
      return "{\(texts.joined(separator: ", "))}"
    }
    if let items = schema["items"] {
      let inner = shape(items)
      return "[\(inner.isEmpty ? "…" : inner)]"
    }
    if schema["additionalProperties"] != nil { return "{…}" }
    if case .array(let values)? = schema["enum"] {
      return values.compactMap(\.string).map { "\"\($0)\"" }.joined(separator: " or ")
    }
    guard case .array(let cases)? = schema["anyOf"] else { return "" }
    return cases.map(shape).filter { !$0.isEmpty }.joined(separator: " or ")
  }

  private static let sharedNames: Set<String> = {
    let all = documents.compactMap { document -> [JSONMember]? in
      if case .object(let members)? = document["$defs"] { members } else { nil }
    }
    return Set(all.flatMap(\.self).filter { $0.value["properties"] != nil }.map(\.name))
  }()

  // MARK: - Tests

  @Test func `the reference contains each subcommand, shared option and exit status as the tool defines them`() throws {
    let file = Self.root.appending(path: "Docs/ToolReference.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let parts = Dictionary(uniqueKeysWithValues: Self.parts)
    var found: [String] = []
    let marks = #/<!-- ([a-z -]+): written by ToolReferenceTests -->\n(?:.*\n)*?<!-- end of \1 -->/#
    let expected = page.replacing(marks) { match in
      let name = String(match.1)
      found.append(name)
      guard let lines = parts[name] else { return "" }
      let text = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
      return "<!-- \(name): written by ToolReferenceTests -->\n\(text)\n<!-- end of \(name) -->"
    }
    #expect(found.sorted() == parts.keys.sorted(), "Docs/ToolReference.md needs the marks of each part once")
    if expected == page { return }
    if ProcessInfo.processInfo.environment["ANNALS_WRITE_TOOL_REFERENCE"] != nil {
      try expected.write(to: file, atomically: true, encoding: .utf8)
    } else {
      Issue.record(
        """
        Docs/ToolReference.md differs from the tool's definitions. Write its generated parts:
        ANNALS_WRITE_TOOL_REFERENCE=1 swift test --filter ToolReferenceTests
        """)
    }
  }

  @Test func `each environment variable that the tool reads is in its list`() throws {
    let sources = Self.root.appending(path: "Sources/AnnalsReplay")
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
      let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      names.formUnion(source.matches(of: #/(?:environment\[|number\(|folder\()"([A-Z_]+)"/#).map { String($0.1) })
    }
    let listed = Set(ManPage.variables.flatMap { $0.key.split(separator: ", ").map(String.init) })
    #expect(names.count > 5)
    #expect(names.subtracting(["HOME", "PATH"]).subtracting(listed) == [])
  }
}
