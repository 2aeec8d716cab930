@testable import AnnalsReplay
import Annals
import Foundation
import Testing

/// Options, help, completions and the manual page, all of one table.
@Suite struct OptionTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    try tool.importLines((1...3).map { inserted($0, "b\($0)") })
  }

  @Test func `options stand before the subcommand, before the log or after it`() {
    let shown = tool.run("show", tool.log, "--limit", "2", "--json")
    #expect(shown.status == 0 && shown.output.contains("\"count\":2"))
    for words in [
      ["--json", "show", "--limit", "2", tool.log], ["show", "--limit=2", "--json", tool.log],
      ["--color", "never", "--json", "show", tool.log, "-n", "2"], ["show", "-n2", tool.log, "--json"],
      ["show", "-q", "--limit", "2", "--json", "--", tool.log],
    ] { #expect(tool.run(words).output == shown.output, "\(words)") }
    for (words, message) in [
      (["--json"], "annals: annals needs a subcommand"), (["--color"], "annals: annals needs a subcommand"),
      (["--json", "show", tool.log, "--json"], "annals: --json is given twice"),
      (["show", tool.log, "-n", "1", "--limit", "2"], "annals: --limit is given twice"),
      (["show", tool.log, "--limit", "1", "-n2"], "annals: --limit is given twice"),
      (["show", tool.log, "-n"], "annals: -n needs a value: -n N"),
      (["show", tool.log, "-qx"], "annals: unknown option -x of annals show"),
      (["show", tool.log, "-z"], "annals: unknown option -z of annals show"),
      (["show", tool.log, "-json"], "annals: unknown option -json of annals show; did you mean --json?"),
      (["show", tool.log, "--color", "blue"], "annals: --color: expected auto, always or never, found \"blue\""),
      (["--colr", "auto", "show"], "annals: unknown option --colr; did you mean --color?\nannals --help lists them"),
      (
        ["help", "completions", "fis"],
        "annals: help completions: expected bash, zsh or fish, found \"fis\"; did you mean fish?"
      ),
      (["help", "completions"], "annals: help completions: expected bash, zsh or fish, found \"\"\n"),
      (["help", "man", "show"], "annals: help man: expected no other word, found \"show\"\n"),
      (["help", "show", "log"], "annals: help show: expected no other word, found \"log\"\n"),
      (["help", "schem"], "annals: unknown subcommand schem; did you mean schema?"),
      (["show", tool.log, "--title", "T"], "annals: unknown option --title of annals show; did you mean a log of"),
      (["--no-pager", "show"], "annals: unknown option --no-pager; did you mean PAGER=cat before the command?"),
      (["help", "--man"], "annals: unknown option --man of annals help; did you mean help man?"),
      (["help", "show", "--schema"], "annals: unknown option --schema of annals help; did you mean help schema SUBC"),
      (["why", tool.log, "b1", "--instead", "1={}"], "annals: unknown option --instead of annals why; did you mean"),
      (["followers", tool.log, "f", "--skip"], "annals: unknown option --skip of annals followers; did you mean foll"),
    ] {
      let answer = tool.run(words)
      #expect(answer.status == 2 && answer.talk.hasPrefix(message), "\(words) \(answer.talk)")
    }
  }

  @Test func `a quiet tool says nothing beside the data, except errors and questions`() throws {
    let file = try tool.file("more.jsonl", inserted(4, "b4") + "\n")
    let answer = tool.run("import", tool.log, file, "-q")
    #expect(answer.status == 0 && answer.talk == "" && answer.output == "")
    #expect(tool.run("-q", "show", "missing").talk.contains("the file doesn't exist. Check the path"))
    for number in 1...2 { #expect(tool.run("do", tool.log, "update", "b1", "n=\(number)").status == 0) }
    (tool.inputIsTerminal, tool.input) = (true, Data("no\n".utf8))
    let asked = tool.run("-q", "compact", tool.log)
    #expect(asked.status == 1 && asked.talk.hasSuffix("Go on? (yes or no) annals: nothing was changed\n"), "\(asked)")
  }

  @Test func `help is asked for in four ways, and lists the subcommands in groups`() {
    let page = tool.run("help", "show").output
    #expect(page.hasPrefix("Print the sectioned list at a place.\n\nusage: annals show LOG [PLACE] [options]\n"))
    #expect(tool.run("show", "--help").output == page && tool.run("show", "-h").output == page)
    #expect(tool.run("show", tool.log, "-h").output == page)
    let all = tool.run("--help").output
    #expect(tool.run("-h").output == all && tool.run("help").output == all && tool.run([]).talk == all)
    for group in ReplayTool.groups { #expect(all.contains("\n\n\(group.title)\n  \(group.subcommands[0].name) ")) }
    #expect(Set(ReplayTool.subcommands.map(\.name)).count == ReplayTool.subcommands.count)
  }

  @Test func `topics document the shared options, and what a place is`() throws {
    for (topic, words) in [
      ("lists", "--section-by FIELD"), ("filters", "author:PATTERN"), ("what-if", "--instead PLACE=JSON"),
      ("places", "tx:LABEL"), ("options", "--color WHEN"),
    ] {
      let page = tool.run("help", topic)
      #expect(page.status == 0 && page.output.contains(words), "\(page)")
      #expect(tool.run("help").output.contains("\n  help \(topic) "), "\(topic)")
      let json = try JSONValue(parsing: tool.run("help", topic, "--json").output)
      #expect(json["name"] == .string(topic) && json["summary"]?.string.map { page.output.contains($0) } == true)
    }
    #expect(HelpTopic.allCases.allSatisfy { tool.run("help", $0.rawValue).status == 0 })
    #expect(HelpTopic.allCases.map(\.rawValue) == ["lists", "filters", "what-if", "places", "options"])
    let why = tool.run("help", "why").lines.last
    #expect(why == "see also: help lists, help what-if, help places, help options")
    #expect(tool.run("help", "demo").lines.last == "see also: help options")
    let log = tool.run("help", "log").lines.last
    #expect(log == "see also: help lists, help filters, help places, help options")
    let wrong = tool.run("help", "filter")
    #expect(wrong.status == 2 && wrong.talk.contains("did you mean filters?"), "\(wrong)")
  }

  @Test(arguments: [20, 39, 50, 79, 300]) func `pages of help wrap to a terminal, at 80 columns at most`(columns: Int) {
    tool.isTerminal = true
    tool.size = (columns, 1_000)
    tool.environment = ["NO_COLOR": "1"]
    for topic in HelpTopic.allCases {
      let page = tool.run("help", topic.rawValue).lines
      for line in page where !topic.details.contains(line) {
        #expect(line.count <= min(80, columns) || !line.drop { $0 == " " }.contains(" "), "\(line)")
      }
    }
    for subcommand in ReplayTool.subcommands {
      let page = tool.run("help", subcommand.name).lines
      // Examples are lines to copy, and no word is cut.
      for line in page.prefix(while: { $0 != "examples:" }) {
        #expect(line.count <= min(80, columns) || !line.drop { $0 == " " }.contains(" "), "\(line)")
      }
      #expect(page.joined(separator: " ").split(separator: " ").joined(separator: " ").contains(subcommand.summary))
    }
  }

  @Test func `an app's own tool has its own name in help, errors, completions and the manual page`() throws {
    var (output, talk) = ("", "")
    let console = Console(
      output: { output += String(decoding: $0, as: UTF8.self) }, talk: { talk += $0 }, input: { Data() })
    let shop = ReplayTool(name: "shop-tool", version: "7.1")
    for words in [
      ["help"], ["help", "show"], ["--version"], ["show", "--at"], ["shw"], ["help", "man"],
      ["show", tool.log, "--x"],
      ["help", "completions", "zsh"], ["help", "completions", "fish"], ["help", "completions", "bash"],
    ] { _ = shop.run(words, on: console) }
    #expect(output.contains("shop-tool show shop.annals --section-by") && output.contains("shop-tool 7.1\n"))
    #expect(output.contains("_shop_tool() {") && output.contains("complete -c 'shop-tool'"))
    #expect(output.contains(".TH \"SHOP\\-TOOL\" 1 \"\" \"shop\\-tool 7.1\""))
    #expect(talk.contains("shop-tool show --help lists its options"))
    for text in [output, talk] {
      #expect(!text.contains(/[^.]annals (show|help|--)/) && !text.contains("_annals"), "\(text)")
    }
  }

  @Test func `bash completes subcommands, options, values and files`() throws {
    _ = try tool.file("completions", tool.run("help", "completions", "bash").output)
    try FileManager.default.createDirectory(atPath: tool.path("a folder"), withIntermediateDirectories: false)
    _ = try tool.file("x*y", "")
    for name in ["log.html", "log.annals.csv", "lo.jsonl"] { _ = try tool.file(name, "") }
    for (words, expected) in [
      (["annals", "sho"], "show"), (["annals", "inf"], "info"), (["annals", "--js"], "--json"),
      (["annals", "--vers"], "--version"), (["annals", "--color", "a"], "auto always"),
      (["annals", "--color", "=", "n"], "never"), (["annals", "--color", "="], "auto always never"),
      (["annals", "--color", "always", "dif"], "diff"), (["annals", "info", "--fi"], "--fields"),
      (["annals", "info", "--format", "js"], "json jsonl"),
      (["annals", "show", "log"], "log.annals"), (["annals", "show", "x"], "x*y"),
      (["annals", "show", "a"], "a folder"),
      (["annals", "import", "log.annals", "lo."], "lo.jsonl"), (["annals", "show", "lo."], "lo.jsonl"),
      (["annals", "show", "--limit", "3", "log"], "log.annals"),
      (["annals", "show", "-n", ""], ""), (["annals", "show", "log.annals", ""], ""),
      (["annals", "import", "l", "a"], "a folder"), (["annals", "import", "l", "x"], "x*y"),
      (["annals", "demo", "bo"], "bookshop"),
      (["annals", "help", "lo"], "log"), (["annals", "help", "what"], "what-if"),
      (["annals", "help", "completions", ""], "bash zsh fish"), (["annals", "help", "comple"], "completions"),
      (["annals", "--json", "show", "--lim"], "--limit"), (["annals", "do", "log.annals", "r"], "rename-section"),
      (["annals", "do", "log.annals", "delete", "a"], ""),
    ] {
      let line = words.map { "'\($0)'" }.joined(separator: " ")
      let answer = try ToolProcess.shell(
        """
        source ./completions; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _annals
        [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
        """, in: tool.folder)
      #expect(answer.status == 0 && answer.talk == "", "\(words) \(answer)")
      let found = answer.output.split(separator: "\n")
      let isFile = ["a folder", "x*y"].contains(expected)
      #expect(found == (isFile ? [expected[...]] : expected.split(separator: " ")), "\(words)")
    }
  }

  @Test func `the table of subcommands is there as JSON, and so is what is made of it`() throws {
    let table = try JSONValue(parsing: tool.run("help", "--json").output)
    let groups = try #require(table["groups"]?.array)
    let found = groups.flatMap { $0["subcommands"]?.array ?? [] }
    #expect(table["tool"] == .string("annals") && found.count == ReplayTool.subcommands.count)
    #expect(table["options"]?.array?.count == Subcommand.common.count)
    #expect(
      tool.run("help", "do", "--json").output.hasPrefix(
        #"{"name":"do","operands":["LOG","[COMMAND]","[WORD …]"],"summary":"Execute a command and append its events.","#
          + #""details":["Without COMMAND, "#))
    let option =
      #""options":[{"name":"--list","short":null,"value":"NAME","choices":[],"repeats":false,"help":"#
      + #""The record's collection, by default the only one."},"#
    #expect(tool.run("help", "do", "--json").output.contains(option))
    let limit = try JSONValue(parsing: tool.run("help", "show", "--json").output)["options"]?.array?.first {
      $0["name"] == .string("--limit")
    }
    #expect(limit?["short"] == .string("-n"))
    let script = try JSONValue(parsing: tool.run("help", "completions", "bash", "--json").output)["script"]
    #expect(script?.string.map { $0 + "\n" } == tool.run("help", "completions", "bash").output)
    let page = try JSONValue(parsing: tool.run("help", "man", "--json").output)["page"]?.string
    #expect(page.map { $0 + "\n" } == tool.run("help", "man").output)
  }

  @Test func `completions offer logs for LOG, and files for FILE`() {
    let zsh = tool.run("help", "completions", "zsh").output
    #expect(zsh.contains(#"'1:LOG:_files -g "*.annals"'"#) && zsh.contains("'2:FILE:_files'"))
    let fish = tool.run("help", "completions", "fish").output
    let show = "complete -c 'annals' -n '__fish_seen_subcommand_from show' "
    #expect(fish.contains("\n\(show)-k -a '(__fish_complete_suffix .annals)'\n") && !fish.contains("\n\(show)-F\n"))
    #expect(fish.contains("\ncomplete -c 'annals' -n '__fish_seen_subcommand_from import' -F\n"))
  }

  @Test(arguments: Completions.Shell.allCases) func `a shell reads its script without complaint`(
    shell: Completions.Shell
  ) throws {
    guard ToolProcess.succeeds("type \(shell.rawValue)") else { return }
    _ = try tool.file("script", tool.run("help", "completions", shell.rawValue).output)
    let answer = try ToolProcess.shell("\(shell.rawValue) -n script", in: tool.folder)
    #expect(answer.status == 0 && answer.talk == "" && answer.output == "")
  }

  @Test func `the completions have each subcommand and each option`() {
    for shell in Completions.Shell.allCases {
      let script = tool.run("help", "completions", shell.rawValue).output
      for subcommand in ReplayTool.subcommands {
        #expect(script.contains(subcommand.name))
        for option in subcommand.allOptions {
          #expect(script.contains(shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name), "\(option.name)")
        }
      }
    }
  }

  @Test func `the manual page has each subcommand, option and example, and groff takes it`() throws {
    let page = tool.run("help", "man").output
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    _ = try tool.file("annals.1", page)
    let plain = page.replacing(#/\\\[u([0-9A-F]+)\]/#) {
      UInt32($0.output.1, radix: 16).flatMap(Unicode.Scalar.init).map(String.init) ?? ""
    }
    .replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\(ti", with: "~")
    for subcommand in ReplayTool.subcommands {
      #expect(plain.contains("\n.SS \"\(subcommand.usage(tool: "annals"))\"".replacing("…", with: "...")))
      for option in subcommand.allOptions { #expect(plain.contains("\n.B \"\(option.head)\"\n")) }
      for example in subcommand.examples { #expect(plain.contains("\n\(example)\n"), "\(example)") }
    }
    // No line begins with a sign of a request that is none of the page's.
    let requests = Set(["TH", "SH", "SS", "B", "I", "TP", "PP", "RS", "RE", "nf", "fi"])
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
    }
    guard ToolProcess.succeeds("type groff") else { return }
    let answer = try ToolProcess.shell("groff -man -ww -Tutf8 annals.1 > /dev/null", in: tool.folder)
    #expect(answer.status == 0 && answer.talk == "", "\(answer.talk)")
  }
}
