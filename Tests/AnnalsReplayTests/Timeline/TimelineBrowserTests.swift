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

  @Test(.enabled(if: browser != nil, "there is no Chromium here"))
  func `in a browser a batch is described once, and the list is sorted, filtered, folded and shared`() throws {
    func event(_ number: Int, _ type: String, _ data: String) -> String {
      line(number, type, data, transaction: number < 4 ? "t1" : number < 6 ? "t2" : "t\(number)").replacing(
        #","data":"#,
        with:
          #","actor":"\#(number < 6 ? "ann" : "bob")","message":"\#(number < 4 ? "Open" : "Reprice all")","data":"#
      )
    }
    func insert(_ number: Int, _ id: String, _ shelf: String, _ price: Int) -> String {
      event(
        number, "RecordInserted",
        #"{"collection":"book","id":"\#(id)","fields":{"title":"T\#(id)","shelf":"\#(shelf)","price":\#(price),"#
          + #""seen":"2026-01-02T03:04:05Z"}}"#)
    }
    try tool.importLines([
      insert(1, "b1", "A", 5), insert(2, "b2", "A", 12), insert(3, "b3", "B", 7),
      event(4, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":20}}"#),
      event(5, "RecordUpdated", #"{"collection":"book","id":"b3","fields":{"price":9}}"#),
      event(6, "RecordUpdated", #"{"collection":"book","id":"b2","fields":{"title":"x,\"y"}}"#),
    ])
    let page = tool.path("page.html")
    #expect(tool.run("timeline", tool.log, "-o", page, "--section-by", "shelf").status == 0)
    let found = try run(Self.handling, at: page)
    let want = #"""
      {"bad":[],"columns":["change","id↑","title","price","seen"],
      "pane":["Reprice all","ann","2 events, 2 rows","Tb1 price 20 5","Tb3 price 9 7","RecordUpdated"],
      "counts":["A","2~1","B","1~1"],
      "sorted":[["b2","b1","b3"],["b1","b2","b3"],["b1","b2","b3"]],
      "filtered":["b2","b1"],"none":"No row has these words here.",
      "folded":[["b3"],["b1","b2","b3"],[],["b1","b2","b3"]],
      "copied":["#5","annals show log.annals 5 --section-by=shelf","annals log log.annals 4..5"],
      "csv":"section,id,price,seen,shelf,title\r\nA,b1,20,2026-01-02T03:04:05Z,A,Tb1\r\n\#
      A,b2,12,2026-01-02T03:04:05Z,A,\"x,\"\"y\"\r\nB,b3,9,2026-01-02T03:04:05Z,B,Tb3\r\n",
      "remark":"position 3, at 4, the list is still this one","ends":"the page ends before 99",
      "zoomed":[true,false,true],"timed":"true","found":["#4","#5"],
      "back":[6,3,6,0],"history":"price 20 5","aligned":true,"ticks":1,"menu":[true,"link",false]}
      """#
    guard case .object(let members) = try JSONValue(parsing: want) else { return }
    for member in members {
      let text = found[member.name]?.text ?? ""
      #expect(text == member.value.text, "\(member.name)")
    }
  }

  /// Goes through a page in a frame, and returns what is there.
  private func look(at page: String, _ positions: [Int]) throws -> JSONValue {
    try run(Self.script.replacing("POSITIONS", with: "\(positions)"), at: page)
  }

  /// Runs a script that has a page in a frame, and returns what the script finds.
  private func run(_ script: String, at page: String) throws -> JSONValue {
    let script = script.replacing("PAGE", with: JSONValue.quoted("file://" + page))
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

  private static let handling = #"""
    const frame = document.getElementById("frame"), bad = [], out = { bad };
    const rest = time => new Promise(done => setTimeout(done, time));
    frame.src = PAGE + "#5";
    frame.onload = async () => {
      frame.onload = null;
      const view = frame.contentWindow, page = frame.contentDocument, $ = id => page.getElementById(id);
      view.addEventListener("error", event => bad.push(event.message));
      page.addEventListener("securitypolicyviolation", event => bad.push(event.violatedDirective));
      const press = key => page.body.dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true }));
      const ids = () => [...page.querySelectorAll(".row:not(.is-del)")].map(row => row.dataset.id);
      const texts = query => [...page.querySelectorAll(query)].map(one => one.textContent.trim());
      const until = async is => {
        for (let turn = 0; turn < 400 && !is(); turn++) await rest(5);
        if (!is()) bad.push(is + "");
      };
      const filter = async (id, text, is) => {
        $(id).value = text;
        $(id).dispatchEvent(new view.Event("input"));
        await until(is);
      };
      try {
        const lines = texts(".line .link").map(text => text.replace(/^[~+]/, ""));
        page.querySelector(".card summary").click();
        await until(() => page.querySelector(".card[open] dl"));
        out.pane = [...texts(".pane h2"), texts(".pane .note")[0].split(" · ")[0], texts(".pane .note")[1], ...lines,
          texts(".card[open] dd")[0]];
        out.counts = texts(".title .text, .title .num");
        const sort = () => (page.querySelectorAll(".cols button")[2].click(), ids());
        out.sorted = [sort(), sort(), sort()];
        page.querySelector(".cols button").click();
        out.columns = [...page.querySelectorAll(".cols > *")].map(
          one => one.textContent + (one.getAttribute("aria-sort") === "ascending" ? "↑" : ""));
        await filter("filter", "price:20", () => ids().length === 1);
        const first = ids();
        await filter("filter", "tb 12", () => ids()[0] === "b2");
        out.filtered = [...ids(), ...first];
        await filter("filter", "zz", () => !$("empty").hidden);
        out.none = $("empty").textContent;
        await filter("filter", "", () => ids().length === 3);
        const fold = () => (page.querySelector(".title").click(), ids());
        out.folded = [fold(), fold(), (press("F"), ids()), (press("F"), ids())];
        const copied = [];
        Object.defineProperty(view.navigator, "clipboard", { value: { writeText: async text => copied.push(text) } });
        let blob = null;
        view.URL.createObjectURL = one => (blob = one, "#5");
        for (const id of ["link", "show", "log"]) {
          $("menu").showPopover();
          $(id).click();
          await until(() => copied.length && !$("menu").matches(":popover-open"));
        }
        out.copied = copied.map(text => text.replace(/^.*(?=#)/, ""));
        view.location.hash = "#6";
        await until(() => $("where").textContent.includes("position 6"));
        $("save").click();
        out.csv = await blob.text();
        view.location.hash = "#4";
        await until(() => $("where").textContent.includes("position 3"));
        out.remark = $("where").firstChild.textContent + ", " + $("where").lastChild.textContent;
        view.location.hash = "#99";
        await until(() => $("where").textContent.includes("position 6"));
        out.ends = $("where").lastChild.textContent;
        await filter("find", "author:ann reprice", () => !$("found").hidden);
        out.found = texts(".hit .num").filter(text => text.startsWith("#"));
        await filter("find", "", () => $("found").hidden);
        out.zoomed = [$("whole").hidden, (press("z"), $("whole").hidden), (press("Z"), $("whole").hidden)];
        press("a");
        out.timed = $("timed").getAttribute("aria-pressed");
        // Two steps are one entry of the browser's history.
        const now = () => Number($("where").textContent.match(/\d+/)[0]);
        out.back = [now()];
        press("Home");
        press("ArrowRight");
        out.back.push(now());
        press("ArrowRight");
        press("ArrowRight");
        out.back.push(now());
        view.history.back();
        await until(() => now() === 0);
        out.back.push(now());
        view.location.hash = "#5&row=b1";
        await until(() => $("where").textContent.includes("position 5"));
        out.history = texts(".pane .link .text > :not(.what)").at(-1);
        // Names of columns are above their values.
        const lefts = query =>
          [...page.querySelectorAll(query)].map(one => Math.round(one.getBoundingClientRect().left));
        out.aligned = String(lefts(".cols > *").slice(1)) === String(lefts(".row > *").slice(1, 5));
        out.ticks = texts(".tick").length;
        press("m");
        await until(() => $("menu").matches(":popover-open"));
        out.menu = [true, page.activeElement.id, (press("ArrowRight"), now() !== 5)];
      } catch (error) {
        bad.push(String(error));
      }
      document.getElementById("out").textContent = "BEGIN:" + JSON.stringify(out);
    };
    """#

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
