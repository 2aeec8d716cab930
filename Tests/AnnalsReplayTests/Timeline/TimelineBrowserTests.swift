import Annals
import Foundation
import Testing

@testable import AnnalsReplay

/// A page in a browser without a window, where there is one.
@Suite struct TimelineBrowserTests {
  private static let browser: String? = ["chromium", "chromium-browser", "google-chrome"].lazy
    .flatMap { name in ["/usr/bin/", "/usr/local/bin/"].map { $0 + name } }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  /// A log with sections that come, go and are renamed, rows that move, and texts that would like to be more.
  private func fill() throws {
    let texts = [
      "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "<!-- <script>", "a\u{2028}b",
      "\u{202e}gnp.exe", "Z" + String(repeating: "\u{301}", count: 200), "__proto__", "constructor",
      "\u{1f469}\u{200d}",
      "\u{1f469}\u{200d}\u{1f469}", "1\u{fe0f}\u{20e3}", "\u{2764}\u{fe0f}\u{ad}",
    ]
    var lines: [String] = []
    func add(_ type: String, _ data: String) { lines.append(line(lines.count + 1, type, data)) }
    for (number, text) in texts.enumerated() {
      let quoted = JSONValue.quoted(text)
      add(
        "RecordInserted",
        #"{"collection":"book","id":\#(quoted),"fields":{"t":\#(quoted),"n":\#(number % 4),"#
          + #""big":12345678901234567890}}"#
      )
    }
    for number in 0..<50 {
      let id = JSONValue.quoted(texts[number * 7 % texts.count])
      let fields =
        number % 3 == 0
        ? #"{"n":\#(number % 5)}"# : #"{"rank":\#(100 - number),"t":\#(JSONValue.quoted("t\(number)"))}"#
      add("RecordUpdated", #"{"collection":"book","id":\#(id),"fields":\#(fields)}"#)
      if number % 11 == 5 { add("SectionRenamed", #"{"collection":"book","section":\#(number % 4),"title":\#(id)}"#) }
    }
    add("RecordDeleted", #"{"collection":"book","id":"__proto__"}"#)
    try tool.importLines(lines)
  }

  @Test(
    .enabled(if: browser != nil, "there is no Chromium here"),
    arguments: [[], ["grep:rank"], ["type:*ed", "type:!RecordUpdated"]])
  func `in a browser the list is what show prints at every position, and keys alone go through time`(
    events: [String]
  ) throws {
    try fill()
    let options = ["--section-by", "n", "--sort", "rank"]
    let page = tool.path("page.html")
    #expect(tool.run(["timeline", tool.log, "-o", page] + options + events).status == 0)
    let positions = try PageModel(String(contentsOfFile: page, encoding: .utf8)).lists[0].map(\.position)
    #expect(positions.count >= (events.isEmpty ? 50 : 5) && (events.isEmpty || positions.count < 45))
    let found = try look(at: page, positions)
    #expect(found["bad"] == .array([]), "\(found["bad"]?.text ?? "nothing")")
    #expect(found["made"]?.int == 0, "the log's texts made elements")
    let shown = try #require(found["lists"]?.array)
    #expect(shown.count == positions.count)
    for (position, list) in zip(positions, shown) {
      let show = try JSONList(tool.run(["show", tool.log, "--json", "\(position)"] + options).output)
      let want = JSONValue.array(
        show.sections.map { section in
          .array([.string(Text.safe(section.title))] + section.rows.map { .string($0.id) })
        })
      #expect(list == want, "at \(position): \(list.text)")
    }
    let keys = try #require(found["keys"]?.array)
    let end = positions.count - 1
    #expect(keys.map(\.int) == [0, 1, 2, 1, end, end - 1, 1], "\(keys)")
    let said = try #require(found["said"]?.string)
    let first = events == ["grep:rank"] ? "" : "1 inserted."
    #expect(said.hasPrefix("Position \(positions[1]). " + first), "\(said)")
  }

  @Test(.enabled(if: browser != nil, "there is no Chromium here"))
  func `in a browser sections move, and many rows come and go at once`() throws {
    let many = (0..<60).map { "[1,1,\($0 * 2),[\"m\($0)\",0,\($0)],[]]" }
    let fewer = (0..<60).filter { $0 % 4 > 0 }.map { "[0,1,\($0),[]]" }
    let moved = (0..<30).map { "[2,0,\($0),1,\(29 - $0),0,[]]" }
    let start = (0..<30).map { "[\"a\($0)\",0,\($0)]" }.joined(separator: ",")
    let others = (0..<61).map { "[\"b\($0)\",0,\($0)]" }.joined(separator: ",")
    let batches = [
      #"{"to":1,"s":[[2,0,2]],"r":[]}"#, #"{"to":2,"s":[[2,2,0]],"r":[[3,0,5,[0,["1.50"]],[]]]}"#,
      "{\"to\":3,\"r\":[\(many.joined(separator: ","))]}", "{\"to\":4,\"r\":[\(fewer.joined(separator: ","))]}",
      #"{"to":5,"s":[[0,2],[1,0,"New",3],[3,1,2,"Best"]],"r":[[0,2,0,[]],[1,0,0,["n",0,1],[]]]}"#,
      "{\"to\":6,\"s\":[[0,0]],\"r\":[[0,0,0,[]]]}", "{\"to\":7,\"r\":[\(moved.joined(separator: ","))]}",
    ]
    let list =
      #"{"name":"l","sectioned":true,"columns":["n"],"shapes":[[0]],"start":[["A",0,[\#(start)]],["B",1,[\#(others)]],"#
      + #"["C",2,[["c",0,1]]]],"batches":[\#(batches.joined(separator: ","))]}"#
    let data =
      #"{"filtered":false,"masked":false,"log":"l","tool":"t","made":0,"from":0,"to":7,"horizon":0,"#
      + #""title":"t","count":0,"#
      + #""print":"0","words":[],"events":[],"lists":[\#(list)]}"#
    let page = TimelinePage.html(title: "t", tool: "t", data: data)
    let states = try PageModel(page).lists[0]
    let found = try look(at: try tool.file("page.html", page), states.map(\.position).reversed())
    #expect(found["bad"] == .array([]), "\(found["bad"]?.text ?? "nothing")")
    for (state, list) in zip(states.reversed(), try #require(found["lists"]?.array)) {
      let want = state.sections.map { [$0.title] + $0.rows.map(\.id) }
      #expect(list.array?.map { ($0.array ?? []).map { $0.string ?? "" } } == want, "at \(state.position)")
    }
  }

  /// Goes through a page in a frame, and returns what is there.
  private func look(at page: String, _ positions: [Int]) throws -> JSONValue {
    let script = Self.script.replacing("PAGE", with: JSONValue.quoted("file://" + page)).replacing(
      "POSITIONS", with: "\(positions)")
    let frame = try tool.file(
      "frame.html",
      "<!doctype html><meta charset=utf-8><pre id=out></pre><iframe id=frame width=1200 height=800></iframe>"
        + "<script>\(script)</script>"
    )
    let answer = try ToolProcess.shell(
      "timeout 60 \(Self.browser ?? "") --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files "
        + "--user-data-dir=\"$PWD/profile\" --enable-logging=stderr --virtual-time-budget=100000 --dump-dom "
        + "'file://\(frame)'", in: tool.folder)
    let console = answer.talk.split(separator: "\n").filter { $0.contains("CONSOLE") }
    #expect(console.isEmpty, "\(console)")
    let start = try #require(answer.output.firstRange(of: "BEGIN:")?.upperBound, "\(answer.talk.suffix(2_000))")
    let end = try #require(answer.output[start...].firstRange(of: "</pre>")?.lowerBound)
    let text = String(answer.output[start..<end]).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
    return try JSONValue(parsing: text.replacing("&nbsp;", with: "\u{a0}").replacing("&amp;", with: "&"))
  }

  private static let script = #"""
    const frame = document.getElementById("frame"), bad = [], lists = [], keys = [];
    const positions = POSITIONS, rest = time => new Promise(done => setTimeout(done, time));
    frame.src = PAGE + "#0";
    frame.onload = async () => {
      frame.onload = null;
      const view = frame.contentWindow, page = frame.contentDocument;
      view.alert = text => bad.push("alert " + text);
      view.addEventListener("error", event => bad.push(event.message));
      page.addEventListener("securitypolicyviolation", event => bad.push(event.violatedDirective));
      // On paper all rows are there, and not only those in sight.
      view.dispatchEvent(new view.Event("beforeprint"));
      const press = key => page.body.dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true }));
      const now = () => Number(page.getElementById("slider").getAttribute("aria-valuenow"));
      try {
        for (const position of positions) {
          view.location.hash = "#" + position;
          const is = () => page.querySelector("#where b").textContent === "position " + position;
          for (let turn = 0; turn < 100 && !is(); turn++) await rest(5);
          if (!is()) bad.push("never came to " + position);
          lists.push([...page.querySelectorAll(".sec")].filter(section => {
            const title = section.querySelector(".title .text");
            return !title.querySelector("del") || title.querySelector("ins");
          }).map(section => {
            const title = section.querySelector(".title ins") ?? section.querySelector(".title .text");
            const isEmpty = section.querySelector(".title .text").classList.contains("veiled");
            return [isEmpty ? "" : title.textContent,
              ...[...section.querySelectorAll(".row:not(.is-del)")].map(row => row.dataset.id)];
          }));
        }
        for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowLeft"]) {
          press(key);
          keys.push(now());
        }
        press("Home");
        press("ArrowRight");
        keys.push(now());
      } catch (error) {
        bad.push(String(error));
      }
      const made = page.querySelectorAll("img, iframe, object, embed, link").length;
      const said = page.getElementById("said").textContent;
      document.getElementById("out").textContent = "BEGIN:" + JSON.stringify({ bad, lists, keys, made, said });
    };
    """#
}
