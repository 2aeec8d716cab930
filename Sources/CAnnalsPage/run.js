// Going through time, choosing, keys and links.
let current = 0, playing = 0, remark = "";

// `how` is "step", "jump" for one that can be gone back from by itself, "same" for one of many in a row, and "open" for a
// list that is shown anew.
function go(k, how = "step") {
  const target = Math.max(0, Math.min(history.count, k)), isNear = step && Math.abs(target - step.k) === 1;
  if (how !== "open") {
    if (step && target === step.k) return;
    remark = "";
  }
  current = target;
  step = history.step(target);
  layOut();
  draw();
  follow();
  draw(isNear && how === "step" && (!playing || speed() <= 5));
  drawBar();
  drawStrip();
  drawPane();
  if (how !== "same" && !playing) announce();
  remember(how === "open" ? "same" : how);
}

function announce() {
  const parts = signs(step.counts).map(sign => sign.title);
  let text = `Position ${history.position(step.k)}. ` + (parts.join(", ") || "No row changed") + ".";
  for (const mark of step.all.slice(0, 3)) {
    text += ` ${history.naming(mark.row ?? mark.old)} ${WORDS[mark.kind]}`;
    text += mark.changes.map(change => ", " + told(change)).join("") + ".";
  }
  say(text + (remark && ` ${remark}.`));
}

function say(text) { $("said").textContent = text; }

function pick(id, { opens = false, reveals = false } = {}) {
  picked = id;
  if (opens || reveals) {
    const place = id === null ? null : find(id);
    if (place) reveal(place.top, !reveals);
  }
  if (opens) side = "row";
  draw();
  drawPane();
  if (opens && id !== null) say(`history of ${safe(id)}, ${count(history.steps.get(id)?.length ?? 0, "change")}`);
  remember("same");
}

// Chooses the row so many below the chosen one, or the first in sight.
function move(by) {
  const rows = blocks.flatMap(block => block.rows), at = rows.findIndex(row => row.id === picked);
  const seen = [...shownRows.values()].find(cell => cell.top >= $("list").scrollTop);
  const id = at < 0 ? seen?.element.dataset.id : rows[Math.max(0, Math.min(rows.length - 1, at + by))].id;
  if (id === undefined) return;
  pick(id);
  reveal(find(id).top, true);
  draw();
}

const speed = () => Number($("speed").value);

function play() {
  if (playing) return pause();
  if (step.k === history.count) go(0, "jump");
  set($("play"), { "aria-pressed": true, "aria-label": "Pause" });
  set($("shape"), { d: "M4.5 3.5h2.6v9H4.5zM8.9 3.5h2.6v9H8.9z" });
  say("playing");
  const tick = () => {
    go(step.k + 1);
    if (step.k < history.count) playing = setTimeout(tick, 1000 / speed()); else pause();
  };
  playing = setTimeout(tick, 200);
}

function pause() {
  if (!playing) return;
  clearTimeout(playing);
  playing = 0;
  set($("play"), { "aria-pressed": false, "aria-label": "Play" });
  set($("shape"), { d: "M5 3.2v9.6L12.6 8z" });
  announce();
}

function faster(by) {
  const list = $("speed");
  list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
  say(list.selectedOptions[0].textContent);
}

function open(list, k, row = null) {
  history = list;
  (step = null), (picked = row), (range = null);
  $("filter").value = "";
  [...$("tabs").children].forEach((tab, at) =>
    set(tab, { "aria-selected": lists[at] === list, tabindex: lists[at] === list ? 0 : -1 }));
  columns();
  set($("list"), { "aria-label": safe(list.name) });
  $("list").scrollTop = 0;
  drawFields();
  go(k, "open");
}

// The address says the position, the list and the row, so that it can be sent and gone back to.
let writing = 0, written = "", passed = null;
const address = () => "#" + history.position(step.k)
  + (lists.length > 1 ? "&list=" + encodeURIComponent(history.name) : "")
  + (picked !== null ? "&row=" + encodeURIComponent(picked) : "");

function write(isNew, now) {
  if (now === written) return;
  written = now;
  try {
    window.history[isNew ? "pushState" : "replaceState"](null, "", now);
  } catch { /* A browser may forbid it where the page has no address of its own. */ }
}

// A jump, and the first of several steps, can be gone back from. The others change the address a little later, all at
// once.
let isStepping = false;
function remember(how) {
  clearTimeout(writing);
  if (how === "jump" || (how === "step" && !isStepping)) {
    if (passed) write(false, passed);
    passed = null;
    write(true, address());
  } else {
    passed = address();
    writing = setTimeout(() => {
      passed = null;
      write(false, address());
    }, 250);
  }
  if (how !== "same") isStepping = how === "step";
}

function read() {
  const [place, ...rest] = location.hash.slice(1).split("&"), named = new URLSearchParams(rest.join("&"));
  const list = lists.find(one => one.name === named.get("list")) ?? (step ? history : lists[0]);
  const wanted = /^\d+$/.test(place) ? Number(place) : null, k = wanted === null ? list.count : list.at(wanted);
  clearTimeout(writing);
  (passed = null), (written = location.hash), (isStepping = false);
  pause();
  remark = wanted === null || wanted === list.position(k) ? ""
    : wanted < data.from ? `the page begins after ${wanted}` : wanted > data.to ? `the page ends before ${wanted}`
    : `at ${wanted}, the list is still this one`;
  if (named.has("row")) side = "row";
  if (list !== history || !step) return open(list, k, named.get("row"));
  picked = named.get("row");
  go(k, "open");
}

// Copies, and says so; where a browser forbids it, the reader can.
async function copy(text) {
  $("menu").hidePopover();
  try {
    await navigator.clipboard.writeText(text);
    remark = "copied: " + text;
    drawBar();
    say(remark);
  } catch {
    prompt("Copy", text);
  }
}

const quoted = word => /^[\w.\/@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

// The tool's command for the list here, or for the events of the batch.
function command(name) {
  const to = history.position(step.k), first = step.k ? history.batches[step.k - 1].e[0] ?? to : to;
  const place = name === "show" || first === to ? String(to) : first + ".." + to;
  const view = name === "show" ? [...data.lists.length > 1 ? ["--list", history.name] : [], ...data.view ?? []] : [];
  return ["annals", name, data.log, place, ...view].map(quoted).join(" ");
}

function save() {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.download = `${data.log}-${history.position(step.k)}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A box for each column.
function drawFields() {
  const { hidden } = history.view, all = [{ at: ID, name: "id" }, ...history.fields];
  $("fields").replaceChildren(...(history.fields.length ? all : []).map(({ at, name }) => {
    const box = make("input"), label = make("label", "", box, safe(name));
    box.type = "checkbox";
    box.checked = !hidden.has(at);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(at); else hidden.add(at);
      relist();
    });
    return label;
  }));
}

// Folds all sections, or shows all their rows.
function foldAll() {
  const { folded } = history.view, isAny = folded.size > 0;
  folded.clear();
  if (!isAny) for (const { key } of step.state) folded.add(key);
  relist();
  say(isAny ? "all rows are shown" : "all sections are folded");
}

function foldChosen() {
  const section = step.state.find(({ rows }) => rows.some(row => row.id === picked));
  if (history.sectioned && section) foldSection(section.key);
}

function toggleTheme() {
  const { style } = document.documentElement, isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  style.colorScheme = (style.colorScheme || (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
  say(style.colorScheme);
  drawBars();
}

const KEYS = {
  ArrowLeft: event => go(step.k - (event.shiftKey ? 10 : 1)),
  ArrowRight: event => go(step.k + (event.shiftKey ? 10 : 1)),
  Home: () => go(0, "jump"), End: () => go(history.count, "jump"),
  ArrowUp: () => move(-1), ArrowDown: () => move(1),
  PageUp: () => move(-pageful()), PageDown: () => move(pageful()),
  Enter: () => picked === null ? move(1) : pick(picked, { opens: true }),
  " ": () => play(), n: () => jumpInRow(1), p: () => jumpInRow(-1), "+": () => faster(1), "=": () => faster(1),
  "-": () => faster(-1), "−": () => faster(-1), "/": () => $("find").select(), "?": () => $("about").togglePopover(),
  t: toggleTheme, "[": () => $("tabs").children[lists.indexOf(history) - 1]?.click(),
  "]": () => $("tabs").children[lists.indexOf(history) + 1]?.click(), f: foldChosen, F: foldAll, a: toggleTime,
  z: () => zoomIn(place(step.k)), Z: () => zoom(...whole()), m: () => $("menu").togglePopover(),
  Escape: () => {
    side = "why";
    pick(null);
  },
};
const pageful = () => Math.max(1, Math.floor(($("list").clientHeight - COLS - HEAD) / ROW) - 1);

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target, key = event.key, body = KEYS[key];
  if (!body || !step) return;
  // An open menu keeps its keys: Escape closes it, and Space checks a box.
  if (document.querySelector(":popover-open") && key !== "m" && key !== "?") return;
  if (target.matches("select") && key !== "/" && key !== "?") return;
  // A button, a summary and the pane keep their own keys.
  if ((key === "Enter" || key === " ") && target.closest("button, summary, a")) return;
  if (["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(key) && target.closest("#pane")) return;
  event.preventDefault();
  if (target.matches("[role=tab]") && ["ArrowLeft", "ArrowRight"].includes(key)) {
    const tab = key === "ArrowLeft" ? target.previousElementSibling : target.nextElementSibling;
    tab?.click();
    return tab?.focus();
  }
  if (key === "ArrowLeft" || key === "ArrowRight") pause();
  body(event);
});

// The buttons that do what a key does, and the others.
for (const [id, body] of Object.entries({
  first: KEYS.Home, back: KEYS.ArrowLeft, play, on: KEYS.ArrowRight, last: KEYS.End, theme: toggleTheme,
  timed: toggleTime, whole: KEYS.Z, fold: foldAll, save,
  show: () => copy(command("show")), log: () => copy(command("log")),
  link: () => copy(location.href.split("#")[0] + address()),
})) $(id).addEventListener("click", body);
$("filter").addEventListener("input", relist);
$("filter").addEventListener("keydown", event => {
  if (event.key !== "Escape") return event.stopPropagation();
  $("filter").value = "";
  relist();
  $("list").focus();
});
$("list").addEventListener("scroll", () => later(() => draw()), { passive: true });
$("list").addEventListener("click", event => {
  const row = event.target.closest(".row");
  if (row) pick(row.dataset.id, { opens: true });
});
addEventListener("resize", () => later(() => {
  relist();
  drawStrip();
}));
addEventListener("hashchange", read);
addEventListener("popstate", () => location.hash !== written && read());
for (const [name, is] of [["beforeprint", true], ["afterprint", false]]) addEventListener(name, () => {
  isPrinting = is;
  draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawBars);

{
  $("heading").textContent = safe(data.title);
  const most = Math.max(...lists.map(list => list.count));
  const meta = [data.title === data.log ? null : safe(data.log), lists.length === 1 ? safe(lists[0].name) : null,
    `positions ${data.from} to ${data.to}`, count(most, "batch", "batches"), count(data.count, "event")];
  if (data.batch) meta.push(`${count(data.batch, "event")} in a batch`);
  $("made").append("Made by " + safe(data.tool) + " of " + safe(data.log) + ", ", time(data.made),
    `. ${count(data.count, "event")} between positions ${data.from} and ${data.to}, fingerprint ${data.print}.`);
  for (const [is, word, more] of [
    [data.filtered, "filtered", " Filtered: rows were left out, and what events say is not in this page."],
    [data.chosen, "chosen events", " Some events were left out: the next step's list has what they changed."],
    [data.masked, "redacted", " Redacted: some values are not in this page."],
    [data.horizon > 0, null, ` The history before position ${data.horizon} was compacted.`],
  ]) if (is) meta.push(word), $("made").append(more);
  for (const text of meta) if (text) $("meta").append(make("span", "text", text));
  $("meta").append(make("span", "", "made by " + safe(data.tool) + ", ", time(data.made)));
  $("tabs").hidden = lists.length < 2;
  lists.forEach(list => {
    const tab = set(make("button", "", safe(list.name)), { role: "tab", "aria-controls": "list" });
    tab.addEventListener("click", () => {
      pause();
      if (list !== history) open(list, list.at(history.position(step.k)));
    });
    $("tabs").append(tab);
  });
  read();
}
