// What did it, and what became of a row.
let side = "why";

function link(mark, text, what, number, body) {
  const button = make("button", "link");
  const sign = make("span", "mark " + (mark ?? ""), mark ? MARKS[mark] : "");
  if (mark) sign.setAttribute("aria-label", WORDS[mark]);
  button.append(sign);
  const words = make("span", "text", text);
  if (what) words.append(what);
  button.append(words);
  if (number) button.append(number);
  button.addEventListener("click", body);
  return button;
}

function changed(changes) {
  if (!changes.length) return null;
  const all = make("span", "what");
  for (const [column, old, now] of changes) {
    all.append(make("span", "field", safe(history.columns[column]) + ": ", ...turned(words(old), words(now))));
  }
  return all;
}

// What an event says is only made when it is looked at.
function card(event, isOpen) {
  const element = make("details", "card"), summary = make("summary");
  summary.append(make("span", "text", safe(event.type)), make("span", "num", "#" + event.position));
  element.append(summary);
  const fill = () => {
    if (element.childElementCount > 1) return;
    const facts = make("dl");
    const fact = (name, value) => {
      if (value === null || value === undefined) return;
      facts.append(make("dt", "", name), make("dd", "text", typeof value === "string" ? safe(value) : value));
    };
    fact("time", time(event.time));
    fact("stream", event.stream === null ? null : `${event.stream}, version ${event.version}`);
    fact("author", event.actor);
    for (const name of ["command", "correlation", "causation"]) fact(name, event[name]);
    element.append(facts);
    if (event.payload !== null) element.append(make("pre", "", pretty(event.payload)));
  };
  if (isOpen) fill();
  element.open = isOpen;
  element.addEventListener("toggle", fill);
  return element;
}

function drawWhy() {
  const parts = [], { k } = step;
  if (k === 0) {
    parts.push(make("p", "note", data.from > 0 ? `The list at position ${data.from}, where this page begins.`
      : "The beginning, before the first event."));
    return parts;
  }
  const batch = history.batches[k - 1], named = batch.e.map(position => events.get(position)).filter(Boolean);
  const all = Math.max(batch.n ?? 0, named.length);
  parts.push(make("h2", "", named.length === all || !named.length ? count(all || named.length, "event")
    : `${named.length.toLocaleString()} of ${count(all, "event")} changed this list`));
  named.slice(0, 50).forEach(event => parts.push(card(event, named.length <= 3)));
  if (named.length > 50) parts.push(make("p", "note", `and ${count(named.length - 50, "event")} more`));
  if (!named.length) parts.push(make("p", "note", "No event set a row that is shown here."));
  const marks = [...step.gone.map(([, , mark]) => mark), ...step.marks.values()];
  parts.push(make("h2", "", marks.length ? count(marks.length, "row") : "No row changed"));
  for (const [old, now] of step.sections) {
    const what = make("span", "what", ...turned(safe(old) || "no title", safe(now) || "no title"));
    parts.push(link("mod", "section", what, null, () => {}));
  }
  for (const mark of marks.slice(0, 100)) {
    const row = mark.row ?? mark.old;
    const isNamed = batch.e.length > 1 && mark.events.length > 0;
    const isByOther = data.chosen && !mark.events.length && (mark.kind !== "mov" || mark.changes.length);
    const by = isNamed ? make("span", "num", "#" + mark.events.slice(0, 3).join(" #"))
      : isByOther ? make("span", "num", "by another event") : null;
    const body = () => pick(row.id, { opens: true });
    parts.push(link(mark.kind, history.naming(row), changed(mark.changes), by, body));
  }
  if (marks.length > 100) parts.push(make("p", "note", `and ${count(marks.length - 100, "row")} more`));
  return parts;
}

function drawHistory() {
  if (picked === null) return [make("p", "note", "Choose a row to see all that became of it.")];
  const steps = history.steps.get(picked) ?? [], parts = [];
  const row = rowNow(picked), name = make("div", "who");
  name.append(make("span", "text", row ? history.naming(row) : safe(picked)));
  for (const [id, words, path, by] of [["p", "Previous change (p)", "M10 3.5 5.5 8l4.5 4.5", -1],
    ["n", "Next change (n)", "M6 3.5 10.5 8 6 12.5", 1]]) {
    const button = make("button", "icon"), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    svg.firstChild.setAttribute("d", path);
    button.append(svg);
    button.title = words;
    button.setAttribute("aria-label", words);
    button.disabled = changeOfRow(by) === null;
    button.addEventListener("click", () => jumpInRow(by));
    name.append(button);
  }
  parts.push(name);
  if (!row) parts.push(make("p", "note", "The row is not in the list here."));
  else if (!steps.length) parts.push(make("p", "note", "Nothing happened to this row while the page watches."));
  const shown = steps.slice(-300);
  const all = count(steps.length, "change");
  if (shown.length < steps.length) parts.push(make("p", "note", "the last 300 of " + all));
  parts.push(...shown.map(one => {
    const { k } = one, at = history.time(k), number = make("span", "num", "#" + history.position(k));
    const what = make("span", "what");
    if (at !== null) what.append(time(at));
    const batch = history.batches[k - 1];
    const first = events.get((one.events.length || data.chosen ? one.events : batch.e)[0]);
    const actor = first?.actor ? " by " + safe(first.actor) : "";
    if (first) what.append(make("span", "field", safe(first.type) + actor));
    const changes = changed(one.changes);
    if (changes) what.append(changes);
    const button = link(one.kind, WORDS[one.kind], what, number, () => go(k, { isJump: true }));
    if (k === step.k) button.setAttribute("aria-current", "true");
    return button;
  }));
  return parts;
}

function rowNow(id) {
  for (const block of blocks) for (const row of block.rows) if (row.id === id && !row.ghost) return row;
  return null;
}

function changeOfRow(by) {
  const steps = picked === null ? [] : history.steps.get(picked) ?? [];
  return (by > 0 ? steps.find(({ k }) => k > step.k) : steps.findLast(({ k }) => k < step.k))?.k ?? null;
}

function jumpInRow(by) {
  const k = changeOfRow(by);
  if (k !== null) go(k, { isJump: true });
  else say(picked === null ? "no row is chosen" : `no ${by > 0 ? "later" : "earlier"} change of this row`);
}

function drawPane() {
  for (const [id, name] of [["tab-why", "why"], ["tab-row", "row"]]) {
    $(id).setAttribute("aria-selected", side === name);
    $(id).tabIndex = side === name ? 0 : -1;
  }
  $("pane").setAttribute("aria-labelledby", side === "why" ? "tab-why" : "tab-row");
  const focus = document.activeElement?.closest?.("#pane button");
  const at = focus ? [...$("pane").querySelectorAll("button")].indexOf(focus) : -1;
  $("pane").replaceChildren(...(side === "why" ? drawWhy() : drawHistory()));
  $("pane").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  if (at >= 0) ($("pane").querySelectorAll("button")[at] ?? $("pane")).focus();
}

function show(name) {
  side = name;
  drawPane();
}

$("tab-why").addEventListener("click", () => show("why"));
$("tab-row").addEventListener("click", () => show("row"));
