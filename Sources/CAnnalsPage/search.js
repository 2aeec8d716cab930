// Search in the rows that are shown, in those of other times, and in the events.
let hits = [], hit = -1, texts = null;

// What can be found: of each row its versions, of each event its words.
function prepare() {
  texts = { of: history, events: [], rows: [] };
  for (const event of events.values()) {
    if (!history.batchOf.has(event.position)) continue;
    const { type, stream, actor, command, correlation, headline, payload } = event;
    // The type is shown by itself.
    const text = [stream, actor, command, correlation, headline, payload].filter(Boolean).join(" ");
    texts.events.push([(text + " " + type).toLowerCase(), event, text]);
  }
  for (const { rows } of history.frames[0]) for (const row of rows) texts.rows.push([row, 0]);
  for (const steps of history.steps.values()) for (const { row, k } of steps) if (row) texts.rows.push([row, k]);
  texts.rows.sort((a, b) => a[1] - b[1]);
}

// A row's text, which is kept with the row.
const haystack = row => (row.text ??= [row.id, row.line ?? "", ...row.values.map(
  value => isDate(value) ? value + " " + words(value) : words(value))].join("\n").toLowerCase());

// True if a row has the words, where `price:9` is a word of a column.
const isMet = (wanted, row) => meets(wanted, haystack(row), name => {
  const at = name === "id" ? ID : history.columns.findIndex(column => column.toLowerCase() === name);
  return at === ID ? (name === "id" ? row.id : undefined) : isMissing(row.values[at]) ? "" : words(row.values[at]);
});

const isMetBy = (wanted, event, text) => meets(wanted, text, name => {
  const value = event[{ author: "actor", message: "headline" }[name] ?? name];
  return value === undefined ? undefined : String(value ?? "");
});

function search() {
  const text = $("find").value.trim().toLowerCase(), wanted = wishes(text), box = $("found");
  (hits = []), (hit = -1);
  box.hidden = text === "";
  $("find").setAttribute("aria-expanded", text !== "");
  $("find").removeAttribute("aria-activedescendant");
  if (text === "") return box.replaceChildren();
  if (texts?.of !== history) prepare();
  const parts = [], here = [];
  for (const { rows } of step.state) for (const row of rows) {
    if (here.length < 200 && isMet(wanted, row)) here.push(row);
  }
  const add = (title, all, most, option) => {
    if (!all.length) return;
    parts.push(make("h2", "", title));
    for (const one of all.slice(0, most)) parts.push(option(one));
    if (all.length > most) parts.push(make("p", "", `and ${(all.length - most).toLocaleString()} more`));
  };
  add("Rows here", here, 8, row =>
    option(history.naming(row), safe(row.id), "", () => pick(row.id, { reveals: true })));
  const isHere = new Set(here.map(row => row.id)), seen = new Set();
  const other = texts.rows.filter(([row]) =>
    !isHere.has(row.id) && !seen.has(row.id) && isMet(wanted, row) && seen.add(row.id));
  add("Rows at other times", other, 8, ([row, k]) =>
    option(history.naming(row), safe(row.id), "#" + history.position(k), () => {
      picked = row.id;
      go(k, "jump");
    }));
  const found = texts.events.filter(([lower, event]) => isMetBy(wanted, event, lower));
  add("Events", found, 12, ([lower, event, all]) =>
    option(safe(event.type), safe(around(all, lower.indexOf(text))), "#" + event.position, () => {
      side = "why";
      go(history.batchOf.get(event.position), "jump");
    }));
  if (!hits.length) parts.push(make("p", "", "Nothing found."));
  box.replaceChildren(...parts);
  if (hits.length) choose(0);
  say(hits.length ? `${count(here.length + other.length, "row")}, ${count(found.length, "event")}` : "nothing found");
}

// Some words before and after what was found.
function around(text, at) {
  const from = at < text.length ? Math.max(0, at - 16) : 0;
  return (from > 0 ? "…" : "") + text.slice(from, from + 60) + (text.length > from + 60 ? "…" : "");
}

function option(text, more, number, body) {
  const name = make("span", "text", text, " ", make("span", "more", more));
  const element = make("div", "hit", name, make("span", "num", number));
  set(element, { id: "hit" + hits.length, role: "option", "aria-selected": false });
  element.addEventListener("mousedown", event => event.preventDefault());
  element.addEventListener("click", () => {
    close();
    body();
  });
  hits.push(element);
  return element;
}

function choose(at) {
  hits[hit]?.setAttribute("aria-selected", "false");
  hit = (at + hits.length) % hits.length;
  hits[hit].setAttribute("aria-selected", "true");
  hits[hit].scrollIntoView({ block: "nearest" });
  $("find").setAttribute("aria-activedescendant", hits[hit].id);
}

function close() {
  $("found").hidden = true;
  $("find").setAttribute("aria-expanded", "false");
  if (document.activeElement === $("find")) $("list").focus();
}

let waiting = 0;
$("find").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 80);
});
$("find").addEventListener("focus", () => $("find").value && search());
$("find").addEventListener("blur", () => setTimeout(() => ($("found").hidden = true), 120));
$("find").addEventListener("keydown", event => {
  event.stopPropagation();
  if (event.key === "Escape") {
    $("find").value = "";
    search();
    close();
  } else if (event.key === "ArrowDown" && hits.length) choose(hit + 1);
  else if (event.key === "ArrowUp" && hits.length) choose(hit - 1);
  else if (event.key === "Enter") {
    clearTimeout(waiting);
    search();
    hits[Math.max(0, hit)]?.click();
  } else return;
  event.preventDefault();
});
