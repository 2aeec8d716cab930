// What did it, and what became of a row.
let side = "why";

function link(mark, text, what, number, body) {
  const button = make("button", "link"), sign = make("span", "mark " + (mark ?? ""), mark ? MARKS[mark] : "");
  if (mark) set(sign, { "aria-label": WORDS[mark], role: "img" });
  button.append(sign, make("span", "text", text, " ", what), number ?? "");
  button.addEventListener("click", body);
  return button;
}

function changed(changes) {
  // The short ones first.
  const all = changes.map(([column, old, now]) =>
    make("span", "field", safe(history.columns[column]) + " ", ...turned(words(old), words(now))));
  all.sort((one, other) => one.textContent.length - other.textContent.length);
  return make("span", "what", ...all);
}

const note = text => make("p", "note", text);

// What an event says is only made when it is looked at; what the head of the pane says is not said again.
function card(event, head, isOpen) {
  const element = make("details", "card"), name = `#${event.position} ${safe(event.type)}`;
  const summary = make("summary", "num", isOpen ? name : "#" + event.position);
  summary.title = name;
  element.append(summary);
  const fill = () => {
    if (element.childElementCount > 1) return;
    const facts = make("dl");
    const fact = (name, value) => {
      if (value === null) return;
      facts.append(make("dt", "", name), make("dd", "text", typeof value === "string" ? safe(value) : value));
    };
    if (!isOpen) fact("type", event.type);
    fact("time", event.time === head.time ? null : time(event.time));
    fact("stream", event.stream === null ? null : `${event.stream}, version ${event.version}`);
    fact("author", head.authors.length > 1 ? event.actor : null);
    fact("message", head.titles.length > 1 ? event.headline : null);
    for (const name of ["command", "correlation", "causation"]) fact(name, event[name]);
    element.append(facts);
    if (event.payload !== null) element.append(make("pre", "", pretty(event.payload)));
  };
  if (isOpen) fill();
  element.open = isOpen;
  element.addEventListener("toggle", fill);
  return element;
}

// The first of some texts, and how many more there are.
const few = (texts, most = 3) =>
  texts.slice(0, most).join(", ") + (texts.length > most ? ` and ${(texts.length - most).toLocaleString()} more` : "");

// Who, when and what for, said once for the batch.
function heading(batch, named) {
  const types = new Map(), unique = name => [...new Set(named.map(event => event[name]).filter(Boolean))];
  for (const event of named) types.set(event.type, (types.get(event.type) ?? 0) + 1);
  const kinds = [...types].map(([type, n]) => safe(type) + (n > 1 ? ` × ${n.toLocaleString()}` : ""));
  const titles = unique("headline").map(safe), authors = unique("actor").map(safe), at = named.at(-1)?.time ?? null;
  const all = Math.max(batch.n ?? 0, named.length), rows = step.all.length;
  const events = !named.length || named.length === all ? count(all, "event") : data.batch
    ? `${count(all, "event")}, the last ${named.length} with names`
    : `${named.length.toLocaleString()} of ${count(all, "event")} changed this list`;
  const line = [few(authors), at === null ? "" : time(at), titles.length ? few(kinds) : ""].filter(Boolean);
  return { time: at, authors, titles, element: make("header", "",
    make("h2", "text", few(titles.length ? titles : kinds) || "No event set a row that is shown here"),
    make("p", "note", ...line.flatMap((part, at) => at ? [" · ", part] : [part])),
    make("p", "note", events + ", " + (rows ? count(rows, "row") : "no row changed"))) };
}

// A line for each row and the events that did it, and for each event that set no row by itself.
function drawWhy() {
  const { k } = step;
  if (k === 0) {
    return [note(data.from > 0 ? `The list at position ${data.from}, where this page begins.`
      : "The beginning, before the first event.")];
  }
  const batch = history.batches[k - 1], named = batch.e.map(position => events.get(position)).filter(Boolean);
  const head = heading(batch, named), parts = [head.element], isOne = named.length === 1, carded = new Set();
  const line = (row, positions) => {
    const fresh = isOne ? [] : positions.map(at => events.get(at)).filter(event => event && !carded.has(event));
    fresh.forEach(event => carded.add(event));
    parts.push(make("div", "line", row, ...fresh.slice(0, 8).map(event => card(event, head, false))));
  };
  for (const [old, now] of step.sections) {
    line(make("p", "link", make("span", "mark mod", MARKS.mod), make("span", "text", "section ",
      ...turned(safe(old) || "no title", safe(now) || "no title"))), []);
  }
  const first = mark => isOne ? 0 : mark.events[0] ?? Infinity, marks = step.all.toSorted((a, b) => first(a) - first(b));
  for (const mark of marks.slice(0, 100)) {
    const isByOther = data.chosen && !mark.events.length && (mark.kind !== "mov" || mark.changes.length);
    const by = isByOther ? make("span", "num", "by another event") : null;
    const row = mark.row ?? mark.old;
    line(link(mark.kind, history.naming(row), changed(mark.changes), by, () => pick(row.id, { opens: true })),
      mark.events);
  }
  if (marks.length > 100) parts.push(note(`and ${count(marks.length - 100, "row")} more`));
  const rest = isOne ? [] : named.filter(event => !carded.has(event));
  for (const event of rest.slice(0, 50)) line(make("p", "link", make("span", "text", safe(event.type))), [event.position]);
  if (rest.length > 50) parts.push(note(`and ${count(rest.length - 50, "event")} more`));
  if (isOne) parts.push(card(named[0], head, true));
  return parts;
}

function drawHistory() {
  if (picked === null) return [note("Select a row to see its changes.")];
  const steps = history.steps.get(picked) ?? [], shown = steps.slice(-300);
  const row = rowNow(picked), name = make("div", "who", make("span", "text", row ? history.naming(row) : safe(picked)));
  for (const [words, sign, by] of [["Previous change (p)", "‹", -1], ["Next change (n)", "›", 1]]) {
    const button = set(make("button", "icon", sign), { title: words, "aria-label": words });
    button.disabled = changeOfRow(by) === null;
    button.addEventListener("click", () => jumpInRow(by));
    name.append(button);
  }
  const parts = [name];
  if (!row) parts.push(note("The row is not in the list here."));
  else if (!steps.length) parts.push(note("This row doesn't change on this page."));
  if (shown.length < steps.length) parts.push(note("the last 300 of " + count(steps.length, "change")));
  return [...parts, ...shown.map(one => {
    const { k } = one, at = history.time(k), batch = history.batches[k - 1];
    const first = events.get((one.events.length || data.chosen ? one.events : batch.e)[0]);
    const by = first ? safe(first.headline ?? first.type) + (first.actor ? " by " + safe(first.actor) : "") : "";
    const what = make("span", "what", at === null ? "" : time(at), make("span", "", by));
    const text = one.changes.length ? make("span", "", ...changed(one.changes).childNodes) : WORDS[one.kind];
    const number = make("span", "num", "#" + history.position(k));
    const button = link(one.kind, text, what, number, () => go(k, "jump"));
    if (k === step.k) button.setAttribute("aria-current", "true");
    return button;
  })];
}

function rowNow(id) {
  for (const { rows } of step.state) for (const row of rows) if (row.id === id) return row;
  return null;
}

function changeOfRow(by) {
  const steps = picked === null ? [] : history.steps.get(picked) ?? [];
  return (by > 0 ? steps.find(({ k }) => k > step.k) : steps.findLast(({ k }) => k < step.k))?.k ?? null;
}

function jumpInRow(by) {
  const k = changeOfRow(by);
  if (k !== null) go(k, "jump");
  else say(picked === null ? "no row is chosen" : `no ${by > 0 ? "later" : "earlier"} change of this row`);
}

function drawPane() {
  for (const name of ["why", "row"]) {
    set($("tab-" + name), { "aria-selected": side === name, tabindex: side === name ? 0 : -1 });
  }
  $("pane").setAttribute("aria-labelledby", "tab-" + side);
  const focus = document.activeElement?.closest?.("#pane button");
  const at = focus ? [...$("pane").querySelectorAll("button")].indexOf(focus) : -1;
  $("pane").replaceChildren(...(side === "why" ? drawWhy() : drawHistory()));
  $("pane").scrollTop = 0;
  $("pane").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  if (at >= 0) ($("pane").querySelectorAll("button")[at] ?? $("pane")).focus();
}

for (const name of ["why", "row"]) $("tab-" + name).addEventListener("click", () => {
  side = name;
  drawPane();
});
