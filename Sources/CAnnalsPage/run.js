// Going through time, choosing, keys and links.
let current = 0, playing = 0;

function go(k, { isJump = false, isQuiet = false, isShown = false } = {}) {
  const target = Math.max(0, Math.min(history.count, k));
  const isNear = step && Math.abs(target - step.k) === 1 && !isQuiet;
  if (!isShown && step && target === step.k) return;
  current = target;
  step = history.step(target);
  layOut();
  draw();
  follow();
  draw(isNear && !isShown && (!playing || speed() <= 5));
  drawBar();
  drawBars();
  drawPane();
  if (!isQuiet && !playing) announce();
  remember(isJump);
}

function announce() {
  const { add, del, mod, mov } = step.counts, parts = [];
  if (add) parts.push(add + " inserted");
  if (del) parts.push(del + " deleted");
  if (mod) parts.push(mod + " changed");
  if (mov) parts.push(mov + " moved");
  let text = `Position ${history.position(step.k)}. ` + (parts.join(", ") || "No row changed") + ".";
  const marks = [...step.marks.values(), ...step.gone.map(([, , mark]) => mark)];
  for (const mark of marks.slice(0, 3)) {
    text += ` ${history.naming(mark.row ?? mark.old)} ${WORDS[mark.kind]}`;
    for (const [at, old, now] of mark.changes) {
      text += `, ${safe(history.columns[at])} ${words(old)} to ${words(now)}`;
    }
    text += ".";
  }
  say(text);
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
  remember(false);
}

// Chooses the row so many below the chosen one.
function move(by) {
  if (!blocks.length) return;
  let place = picked === null ? null : find(picked);
  if (!place) {
    const top = $("list").scrollTop, at = Math.min(firstBlock(top + 1), blocks.length - 1);
    const index = Math.max(0, Math.ceil((top - blocks[at].top) / ROW));
    place = { block: blocks[at], index: Math.min(index, blocks[at].rows.length) - (by > 0 ? 1 : 0) };
  }
  let at = blocks.indexOf(place.block), index = place.index + by;
  while (index < 0 && at > 0) index += blocks[--at].rows.length;
  while (at < blocks.length - 1 && index >= blocks[at].rows.length) index -= blocks[at++].rows.length;
  const row = blocks[at].rows[Math.max(0, Math.min(index, blocks[at].rows.length - 1))];
  if (!row) return;
  pick(row.id);
  reveal(find(row.id).top, true);
  draw();
}

const speed = () => Number($("speed").value);

function play() {
  if (playing) return pause();
  if (step.k === history.count) go(0, { isJump: true });
  $("play").setAttribute("aria-pressed", "true");
  $("play").setAttribute("aria-label", "Pause");
  $("shape").setAttribute("d", "M4.5 3.5h2.6v9H4.5zM8.9 3.5h2.6v9H8.9z");
  say("playing");
  const tick = () => {
    if (step.k >= history.count) return pause();
    playing = setTimeout(tick, 1000 / speed());
    go(step.k + 1);
    if (step.k >= history.count) pause();
  };
  playing = setTimeout(tick, 200);
}

function pause() {
  if (!playing) return;
  clearTimeout(playing);
  playing = 0;
  $("play").setAttribute("aria-pressed", "false");
  $("play").setAttribute("aria-label", "Play");
  $("shape").setAttribute("d", "M5 3.2v9.6L12.6 8z");
  announce();
}

function faster(by) {
  const list = $("speed");
  list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
  say(list.selectedOptions[0].textContent);
}

function open(list, k) {
  history = list;
  (step = null), (picked = null);
  [...$("tabs").children].forEach((tab, at) => {
    tab.setAttribute("aria-selected", lists[at] === list);
    tab.tabIndex = lists[at] === list ? 0 : -1;
  });
  columns();
  $("list").setAttribute("aria-label", safe(list.name));
  $("list").scrollTop = 0;
  go(k, { isShown: true });
}

function openNext(by) {
  const at = lists.indexOf(history) + by;
  if (lists.length < 2 || !lists[at]) return;
  const position = history.position(step.k);
  pause();
  open(lists[at], lists[at].at(position));
  if (document.activeElement?.closest?.("#tabs")) $("tabs").children[at].focus();
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

// Small steps change the address a little later, all at once; a jump can be gone back from.
function remember(isJump) {
  clearTimeout(writing);
  if (isJump) {
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
}

function read() {
  const parts = location.hash.slice(1).split("&"), named = {};
  for (const part of parts.slice(1)) {
    const [name, value] = part.split("=");
    try { named[name] = decodeURIComponent(value ?? ""); } catch { /* No name that this page wrote. */ }
  }
  const list = lists.find(one => one.name === named.list) ?? (step ? history : lists[0]);
  const k = /^\d+$/.test(parts[0]) ? list.at(Number(parts[0])) : list.count;
  clearTimeout(writing);
  (passed = null), (written = location.hash);
  pause();
  if (list !== history || !step) open(list, k);
  picked = named.row ?? null;
  if (picked !== null) side = "row";
  go(k, { isShown: true });
}

function emptyWords() {
  return `Nothing changed in this list between position ${data.from} and ${data.to}.`;
}

function toggleTheme() {
  const root = document.documentElement, isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = (root.dataset.theme ?? (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
  say(root.dataset.theme);
  drawBars();
}

const KEYS = {
  ArrowLeft: event => go(step.k - (event.shiftKey ? 10 : 1)),
  ArrowRight: event => go(step.k + (event.shiftKey ? 10 : 1)),
  Home: () => go(0, { isJump: true }), End: () => go(history.count, { isJump: true }),
  ArrowUp: () => move(-1), ArrowDown: () => move(1),
  PageUp: () => move(-pageful()), PageDown: () => move(pageful()),
  Enter: () => picked === null ? move(1) : pick(picked, { opens: true }),
  " ": () => play(), n: () => jumpInRow(1), p: () => jumpInRow(-1), "+": () => faster(1), "=": () => faster(1),
  "-": () => faster(-1), "−": () => faster(-1), "/": () => $("find").select(), "?": () => $("about").showModal(),
  t: toggleTheme, "[": () => openNext(-1), "]": () => openNext(1),
  Escape: () => {
    side = "why";
    pick(null);
  },
};
const pageful = () => Math.max(1, Math.floor(($("list").clientHeight - COLS - HEAD) / ROW) - 1);

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("about").open) return;
  const target = event.target, key = event.key, body = KEYS[key];
  if (!body || !step) return;
  if (target.matches("select") && key !== "/" && key !== "?") return;
  // A button, a summary and the pane keep their own keys.
  if ((key === "Enter" || key === " ") && target.closest("button, summary, a")) return;
  if (["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(key) && target.closest("#pane")) return;
  if (target.matches("[role=tab]") && ["ArrowLeft", "ArrowRight"].includes(key)) {
    if (target.closest("#tabs")) openNext(key === "ArrowLeft" ? -1 : 1);
    else show(side === "why" ? "row" : "why"), $(side === "why" ? "tab-why" : "tab-row").focus();
    return event.preventDefault();
  }
  event.preventDefault();
  if (key === "ArrowLeft" || key === "ArrowRight") pause();
  body(event);
});

for (const [id, body] of [["first", () => go(0, { isJump: true })], ["back", () => go(step.k - 1)], ["play", play],
  ["on", () => go(step.k + 1)], ["last", () => go(history.count, { isJump: true })], ["theme", toggleTheme],
  ["help", () => $("about").showModal()], ["close", () => $("about").close()]]) {
  $(id).addEventListener("click", body);
}
$("about").addEventListener("click", event => event.target === $("about") && $("about").close());
$("list").addEventListener("scroll", () => later(() => draw()), { passive: true });
$("list").addEventListener("click", event => {
  const row = event.target.closest(".row");
  if (row) pick(row.dataset.id, { opens: true });
});
addEventListener("resize", () => later(() => {
  columns();
  layOut();
  draw();
  drawBars();
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
  const ends = new Map(lists.map(list => [list, list.count])), most = Math.max(...ends.values());
  const meta = [data.title === data.log ? null : safe(data.log), lists.length === 1 ? safe(lists[0].name) : null,
    `positions ${data.from} to ${data.to}`, count(most, "batch", "batches"), count(data.count, "event")];
  if (data.filtered) meta.push("filtered");
  if (data.chosen) meta.push("chosen events");
  if (data.masked) meta.push("redacted");
  for (const text of meta) if (text) $("meta").append(make("span", "text", text));
  const made = time(data.made);
  $("meta").append(make("span", "", "made by " + safe(data.tool) + ", ", made));
  $("made").append("Made by " + safe(data.tool) + " of " + safe(data.log) + ", ", time(data.made),
    `. ${count(data.count, "event")} between positions ${data.from} and ${data.to}, fingerprint ${data.print}.`);
  if (data.filtered) $("made").append(" Filtered: rows were left out, and what events say is not in this page.");
  if (data.chosen) $("made").append(" Some events were left out: the next step's list has what they changed.");
  if (data.masked) $("made").append(" Redacted: some values are not in this page.");
  if (data.horizon > 0) $("made").append(` The history before position ${data.horizon} was compacted.`);
  $("tabs").hidden = lists.length < 2;
  lists.forEach(list => {
    const tab = make("button", "", safe(list.name));
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "list");
    tab.addEventListener("click", () => list !== history && open(list, list.at(history.position(step.k))));
    $("tabs").append(tab);
  });
  for (const name of ["past", "ahead", "line"]) {
    const tone = make("i", "sr tone-" + name);
    tone.id = "tone-" + name;
    tone.setAttribute("aria-hidden", "true");
    document.body.append(tone);
  }
  read();
}
