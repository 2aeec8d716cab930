// The list at a position. Only the rows that are in sight are elements.
const ROW = 34, HEAD = 36, COLS = 32;
const still = matchMedia("(prefers-reduced-motion: reduce)");
let history = lists[0], step = null, picked = null, isPrinting = false, fields = [];
const ID = -1;
let blocks = [], shownRows = new Map(), shownSections = new Map(), nextElement = 0;

// As many columns as there is room for; the first of them is what people call a row. Where there is little room, those
// that change come next.
function columns() {
  const list = $("list"), { hidden } = history.view;
  const isNarrow = list.clientWidth < 620 && history.label !== null, hasID = !isNarrow && !hidden.has(ID);
  const size = hasID ? history.widestID + 1 : 0, tracks = hasID ? ["18px", `minmax(3ch, ${size}ch)`] : ["18px"];
  const head = [make("span", "", make("span", "sr", "change"))];
  if (hasID) head.push(headCell(ID, "id"));
  fields = [];
  let used = 80 + size * 8;
  const others = history.fields.filter(field => !hidden.has(field.at));
  if (isNarrow) others.sort((a, b) => (b.at === history.label) - (a.at === history.label) || b.changes - a.changes);
  for (const field of others) {
    const wide = Math.max(field.chars, field.name.length + 1) + 1, least = Math.min(wide, isNarrow ? 9 : 12);
    used += least * 9 + 22;
    if (fields.length && used > list.clientWidth) break;
    const most = field.isFixed ? wide + (field.right && !isNarrow ? 6 : 1) + "ch" : Math.max(wide, 8) + "fr";
    tracks.push(`minmax(${least}ch, ${most})`);
    head.push(headCell(field.at, safe(field.name), field.right));
    fields.push(field);
  }
  if (!fields.length) tracks.push("minmax(0, 1fr)"), head.push(make("span", "", "row"));
  head.forEach((cell, at) => set(cell, { role: "columnheader", "aria-colindex": at + 1 }));
  list.style.setProperty("--grid", tracks.join(" "));
  list.setAttribute("aria-colcount", head.length);
  list.classList.toggle("narrow", !hasID);
  $("cols").replaceChildren(...head);
}

function headCell(at, name, isRight) {
  const { sort } = history.view, isSorted = sort?.at === at, button = make("button", "", name);
  button.title = `Sort by ${name}`;
  const cell = make("span", isRight ? "r" : "", button);
  if (isSorted) cell.setAttribute("aria-sort", sort.by > 0 ? "ascending" : "descending");
  // Once up, once down, and then as the log has it.
  button.addEventListener("click", () => {
    history.view.sort = !isSorted ? { at, by: 1 } : sort.by > 0 ? { at, by: -1 } : null;
    relist();
    $("cols").children[[...$("cols").children].indexOf(cell)]?.querySelector("button").focus();
  });
  return cell;
}

const collator = new Intl.Collator(undefined, { numeric: true });
const real = row => row.ghost?.old ?? row;

function compared({ at, by }) {
  const value = row => at === ID ? real(row).id : real(row).values[at];
  return (one, other) => {
    const a = value(one), b = value(other);
    if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
    return by * (isNumber(a) && isNumber(b) ? Number(a) - Number(b) : collator.compare(raw(a), raw(b)));
  };
}

// Shows the list as the reader wants it now.
function relist() {
  columns();
  layOut();
  draw();
}

// Where each section is, with the rows that the batch deleted among those that are there.
function layOut() {
  const gone = new Map(), keys = new Set(step.state.map(section => section.key));
  if (step.gone.length <= 500) for (const [section, row, mark] of step.gone) {
    put(gone, step.before[section].key, [row, mark, section]);
  }
  const parts = step.state.map(section => ({ section, rows: section.rows, ghosts: gone.get(section.key) }));
  for (const [key, ghosts] of gone) if (!keys.has(key)) {
    parts.splice(Math.min(ghosts[0][2], parts.length), 0, {
      section: step.before[ghosts[0][2]], isGone: true, rows: [], ghosts,
    });
  }
  blocks = [];
  const wanted = wishes($("filter").value), { sort, folded } = history.view, head = history.sectioned ? HEAD : 0;
  let top = 0, index = 1;
  for (const part of parts) {
    let all = part.ghosts ? withGhosts(part) : part.rows;
    if (wanted.length) all = all.filter(row => isMet(wanted, real(row)));
    if (wanted.length && !all.length) continue;
    if (sort) all = [...all].sort(compared(sort));
    const isFolded = head > 0 && folded.has(part.section.key), rows = isFolded ? [] : all, counts = {};
    if (head && step.k) for (const row of all) {
      const kind = (row.ghost ?? step.marks.get(row.id))?.kind;
      if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    blocks.push({ ...part, all, rows, counts, isFolded, top, head, height: head + rows.length * ROW, index });
    top += head + rows.length * ROW;
    index += rows.length + (head ? 1 : 0);
  }
  $("space").style.height = top + "px";
  $("list").setAttribute("aria-rowcount", index);
  $("list").classList.toggle("bare", !fields.length);
  $("empty").hidden = top > 0;
  $("empty").textContent = wanted.length ? "No row has these words here." : history.count ? "No rows here."
    : data.to ? `Nothing changed in this list between position ${data.from} and ${data.to}.` : "The log has no events.";
}

// The rows in sight and out of it as a table for other programs.
function csv() {
  const cell = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [["section", "id", ...history.columns]];
  for (const { section, all } of blocks) for (const row of all) if (!row.ghost) {
    lines.push([section.title, row.id, ...history.columns.map((_, at) => raw(row.values[at]))]);
  }
  return lines.map(line => line.slice(history.sectioned ? 0 : 1).map(cell).join(",") + "\r\n").join("");
}

function withGhosts({ section, rows, ghosts }) {
  // After the row that was before it, if that is still in the section.
  const places = new Map(rows.map((row, at) => [row.id, at]));
  const old = step.before.find(other => other.key === section.key).rows;
  const after = new Map();
  for (const [row, mark] of ghosts) {
    let before = row - 1;
    while (before >= 0 && (!places.has(old[before].id) || step.marks.get(old[before].id)?.kind === "mov")) before--;
    const place = before < 0 ? -1 : places.get(old[before].id);
    put(after, place, { ghost: mark, id: mark.id });
  }
  const all = [...(after.get(-1) ?? [])];
  rows.forEach((row, at) => all.push(row, ...(after.get(at) ?? [])));
  return all;
}

// Makes the elements of what is in sight; with `moves`, rows glide from where they were.
function draw(moves = false) {
  const list = $("list"), from = isPrinting ? 0 : list.scrollTop - 400;
  const to = isPrinting ? 34 * 4000 : list.scrollTop + list.clientHeight + 400;
  const before = moves ? new Map([...shownRows].map(([key, cell]) => [key, cell.top - list.scrollTop])) : null;
  const rows = new Map(), sections = new Map();
  let next = $("space").firstChild;
  for (const block of blocks) {
    if (block.top + block.height <= from || block.top >= to) continue;
    const key = (block.isGone ? "-" : "") + block.section.key;
    const shown = shownSections.get(key) ?? makeSection();
    sections.set(key, shown);
    fillSection(shown, block);
    if (shown.element === next) next = next.nextSibling; else $("space").insertBefore(shown.element, next);
    const first = Math.max(0, Math.floor((from - block.top - block.head) / ROW));
    const last = Math.min(block.rows.length, Math.ceil((to - block.top - block.head) / ROW));
    let place = shown.head.nextSibling;
    for (let index = first; index < last; index++) {
      const row = block.rows[index], name = (row.ghost ? "-" : "+") + row.id;
      const cell = shownRows.get(name) ?? { element: set(make("div", "row"), { role: "row" }), row: null };
      rows.set(name, cell);
      fillRow(cell, row, block, index);
      cell.top = block.top + block.head + index * ROW;
      cell.element.style.top = block.head + index * ROW + "px";
      if (cell.element === place) place = place.nextSibling; else shown.element.insertBefore(cell.element, place);
    }
  }
  for (const [key, cell] of shownRows) if (rows.get(key) !== cell) cell.element.remove();
  for (const [key, shown] of shownSections) if (sections.get(key) !== shown) shown.element.remove();
  (shownRows = rows), (shownSections = sections);
  const chosen = picked === null ? null : shownRows.get("+" + picked) ?? shownRows.get("-" + picked);
  if (chosen) list.setAttribute("aria-activedescendant", chosen.element.id);
  else list.removeAttribute("aria-activedescendant");
  if (before && !still.matches) glide(before, list.scrollTop);
}

function glide(before, scrolled) {
  const timing = { duration: 240, easing: "cubic-bezier(.2, .7, .2, 1)" };
  for (const [key, cell] of shownRows) {
    const way = before.get(key) - (cell.top - scrolled);
    if (isNaN(way)) cell.element.animate([{ opacity: 0 }, { opacity: 1 }], timing);
    else if (Math.abs(way) > 1) {
      cell.element.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], timing);
    }
  }
}

function makeSection() {
  const fold = set(make("button", "fold"), { tabindex: -1 }), text = make("span", "text"), size = make("span", "num");
  const head = set(make("div", "title", set(make("span", "", fold, text, size), { role: "rowheader" })), { role: "row" });
  const shown = { element: set(make("div", "sec", head), { role: "rowgroup" }), head, fold, text, size };
  head.addEventListener("click", () => foldSection(shown.key));
  return shown;
}

function foldSection(key) {
  const { folded } = history.view;
  if (!folded.delete(key)) folded.add(key);
  layOut();
  draw();
}

function fillSection(shown, block) {
  const { section } = block, title = safe(section.title) || "no title";
  const renamed = step.sections.find(([, , at]) => step.state[at] === section);
  shown.key = section.key;
  shown.text.replaceChildren(...block.isGone ? [make("del", "", title)] : renamed
    ? turned(safe(renamed[0]) || "no title", title) : [title]);
  shown.text.classList.toggle("veiled", section.title === "");
  shown.text.title = title;
  set(shown.fold, { "aria-expanded": !block.isFolded, "aria-label": "Rows of " + title });
  shown.size.replaceChildren(block.isGone ? "" : section.rows.length.toLocaleString(), ...signs(block.counts));
  shown.head.hidden = block.head === 0;
  shown.head.setAttribute("aria-rowindex", block.index + 1);
  shown.element.setAttribute("aria-label", history.sectioned ? title : "rows");
  shown.element.style.top = block.top + "px";
  shown.element.style.height = block.height + "px";
}

// How many rows came, went, changed and moved.
function signs(counts, names = "") {
  return Object.keys(MARKS).filter(kind => counts[kind]).map(kind => {
    const title = counts[kind] + " " + WORDS[kind], text = MARKS[kind] + counts[kind].toLocaleString();
    return set(make("span", names + kind, text), { title, role: "img", "aria-label": title });
  });
}

function fillRow(cell, row, block, index) {
  const mark = row.ghost ?? step.marks.get(row.id), data = row.ghost ? row.ghost.old : row;
  const element = cell.element;
  set(element, { "aria-rowindex": block.index + index + (block.head ? 2 : 1), "aria-selected": row.id === picked });
  element.classList.toggle("picked", row.id === picked);
  if (cell.row === data && cell.mark === mark && cell.fields === fields) return;
  Object.assign(cell, { row: data, mark, fields });
  element.id ||= "row" + nextElement++;
  element.className = "row" + (mark ? " is-" + mark.kind : "") + (row.id === picked ? " picked" : "");
  element.dataset.id = row.id;
  const sign = make("span", "mark" + (mark ? " " + mark.kind : ""), mark ? MARKS[mark.kind] : "");
  if (mark) set(sign, { "aria-label": WORDS[mark.kind], title: WORDS[mark.kind] });
  const cells = $("list").classList.contains("narrow") ? [sign] : [sign, make("span", "id text", safe(row.id))];
  if (fields.length) for (const field of fields) cells.push(valueCell(data, mark, field));
  else cells.push(lineCell(data, mark));
  cells.forEach((part, at) => {
    set(part, { role: "gridcell", "aria-colindex": at + 1 });
    part.title ||= part.textContent;
  });
  element.replaceChildren(...cells);
}

function valueCell(row, mark, field) {
  const change = mark?.changes.find(([column]) => column === field.at), value = row.values[field.at];
  const part = make("span", "text" + (field.right ? " r" : "") + (change ? " turned" : isVeiled(value) ? " veiled" : ""),
    ...change ? turned(words(change[1]), words(change[2])) : [words(value)]);
  // A text that is written from the right is cut at its own end.
  if (!change) part.dir = "auto";
  if (change || isDate(value)) part.title = change ? told(change) : safe(value);
  return part;
}

function lineCell(row, mark) {
  const changes = (mark?.changes ?? []).flatMap(([column, old, now]) => [
    make("span", "veiled", safe(history.columns[column])), " ", ...turned(words(old), words(now)), "  "]);
  return make("span", "text", ...changes, history.text(row));
}

const told = ([column, old, now]) => `${safe(history.columns[column])} ${words(old)} to ${words(now)}`;

// Where a row is: its block and its index in it.
function find(id) {
  for (const block of blocks) {
    const index = block.rows.findIndex(row => row.id === id);
    if (index >= 0) return { block, index, top: block.top + block.head + index * ROW };
  }
  return null;
}

function reveal(top, isNear = false) {
  const list = $("list"), above = COLS + HEAD, height = list.clientHeight - COLS;
  if (top - list.scrollTop >= HEAD && top - list.scrollTop + ROW <= height) return;
  const nearest = top < list.scrollTop + HEAD ? top - HEAD : top + ROW - height;
  list.scrollTop = isNear ? nearest : top - (height - above) / 2;
}

// Brings the first thing that changed in sight, if nothing of it is.
function follow() {
  const list = $("list"), ids = new Set(step.all.map(mark => mark.id));
  if (picked !== null && ids.has(picked)) {
    const place = find(picked);
    if (place) return reveal(place.top);
  }
  if (!ids.size || ids.size > 2000) return;
  let first = null;
  for (const block of blocks) for (let index = 0; index < block.rows.length; index++) {
    if (!ids.has(block.rows[index].id)) continue;
    const top = block.top + block.head + index * ROW;
    if (top >= list.scrollTop + HEAD && top + ROW <= list.scrollTop + list.clientHeight - COLS) return;
    first ??= top;
  }
  if (first !== null) reveal(first);
}
