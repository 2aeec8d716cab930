// The events, by position.
const events = new Map();
{
  let position = 0, micros = 0;
  const word = n => n === undefined || n < 0 ? null : data.words[n];
  for (const e of data.events) {
    position += e[0];
    micros += e[1];
    events.set(position, {
      position, time: micros, type: word(e[2]) ?? "redacted", stream: word(e[3]), version: e[4], actor: word(e[5]),
      command: word(e[6]), correlation: word(e[7]), causation: word(e[8]), headline: word(e[9]),
      payload: e[10] ?? null,
    });
  }
}

const DATE = clock.format(new Date(2025, 11, 28, 12, 30, 30)).length;

// A list through time. State k is the list after k batches; every 8th is kept, or as many as memory allows, so that
// none is far.
class History {
  constructor(list) {
    Object.assign(this, { name: list.name, sectioned: list.sectioned, columns: list.columns, shapes: list.shapes });
    this.batches = list.batches;
    this.count = list.batches.length;
    this.generation = 0;
    // By id of a row: the batches that did something to it. By event: its batch.
    this.steps = new Map();
    this.batchOf = new Map();
    this.widths = this.columns.map(() => ({ rows: 0, chars: 0, numbers: 0, dates: 0, changes: 0 }));
    // How the reader wants to see it: columns by number, sections by key, and a column with its direction.
    this.view = { hidden: new Set(), folded: new Set(), sort: null };
    if (list.by !== undefined) this.view.hidden.add(list.by);
    this.rowsSeen = 0;
    this.widestID = 2;
    const sections = list.start.map(([title, key, rows, lines]) => ({
      title, key, generation: -1, rows: rows.map((row, at) => this.row(row, lines?.[at])),
    }));
    let most = sections.reduce((sum, section) => sum + section.rows.length, 0);
    for (const batch of this.batches) for (const one of [batch, ...batch.b ?? []]) {
      for (const op of one.r) most += op[0] === 1 ? 1 : 0;
    }
    this.stride = Math.max(8, Math.ceil((this.count * most) / 8e6));
    this.frames = [sections];
    this.sizes = this.batches.map(batch => batch.r.length + (batch.s?.length ?? 0));
    let state = sections;
    this.batches.forEach((batch, at) => {
      batch.e ??= [];
      for (const event of batch.e) this.batchOf.set(event, at + 1);
      state = this.apply(this.passed(state, batch), batch, (mark, op) => {
        // A row that only made room for others has no part in what became of it.
        if (op[0] !== 2 || op[5] || mark.events.length) put(this.steps, mark.id, { k: at + 1, ...mark });
      });
      if ((at + 1) % this.stride === 0) {
        this.frames.push(state);
        this.generation++;
      }
    });
    this.end = state;
    // The time of each state for an axis, which doesn't run backwards.
    this.times = this.batches.map((batch, at) => this.time(at + 1));
    this.times.unshift(this.times.find(time => time !== null) ?? 0);
    this.times.forEach((time, k) => k && (this.times[k] = Math.max(time ?? 0, this.times[k - 1])));
    this.layOut();
  }

  row(data, line) {
    const row = { id: data[0], values: [], line: line ?? null };
    const shape = this.shapes[data[1]];
    for (let at = 0; at < shape.length; at++) {
      const value = data[at + 2];
      row.values[shape[at]] = value;
      this.measure(shape[at], value);
    }
    this.rowsSeen++;
    this.widestID = Math.max(this.widestID, Math.min(row.id.length, 24));
    return row;
  }

  patched(row, patch, line) {
    const next = { id: row.id, values: row.values.slice(), line: line ?? row.line };
    for (let at = 0; at < patch.length; at += 2) {
      if (isMissing(patch[at + 1])) delete next.values[patch[at]]; else next.values[patch[at]] = patch[at + 1];
      this.measure(patch[at], patch[at + 1], 0);
    }
    return next;
  }

  measure(column, value, rows = 1) {
    const width = this.widths[column];
    if (isMissing(value)) return;
    width.rows += rows;
    width.changes += 1 - rows;
    width.chars = Math.max(width.chars, isDate(value) ? DATE : Math.min(words(value).length, 44));
    if (rows && isNumber(value)) width.numbers++;
    if (rows && isDate(value)) width.dates++;
  }

  // The next state. Sections of the present generation are changed in place, others are copied first.
  apply(state, batch, note) {
    let sections = state.slice();
    const generation = this.generation;
    const own = at => {
      const section = sections[at];
      if (section.generation === generation) return section;
      return (sections[at] = { ...section, generation, rows: section.rows.slice() });
    };
    const leaving = new Map(), coming = new Map();
    for (const op of batch.r) {
      const [kind, at, index] = op, old = kind === 1 ? null : sections[at].rows[index];
      const [patch, line] = kind === 2 ? [op[5], op[7]] : [op[3], op[5]];
      const row = kind === 0 ? null : (op.made ??= kind === 1 ? this.row(patch, line)
        : patch || line !== undefined ? this.patched(old, patch || [], line) : old);
      if (kind === 0 || kind === 2) put(leaving, at, index);
      if (kind === 1) put(coming, at, [index, row]);
      if (kind === 2) put(coming, op[3], [op[4], row]);
      if (kind === 3) own(at).rows[index] = row;
      note?.(this.mark(batch, op, old, row), op);
    }
    for (const [at, indices] of leaving) {
      const section = own(at);
      if (indices.length > 24) {
        const gone = new Set(indices);
        section.rows = section.rows.filter((_, index) => !gone.has(index));
      } else for (const index of indices.sort((a, b) => b - a)) section.rows.splice(index, 1);
    }
    if (batch.s) sections = this.applySections(sections, batch.s);
    for (const [at, arrivals] of coming) {
      const section = own(at);
      arrivals.sort((a, b) => a[0] - b[0]);
      if (arrivals.length > 24) {
        const rows = [];
        let next = 0;
        for (const [index, row] of arrivals) {
          while (rows.length < index) rows.push(section.rows[next++]);
          rows.push(row);
        }
        while (next < section.rows.length) rows.push(section.rows[next++]);
        section.rows = rows;
      } else for (const [index, row] of arrivals) section.rows.splice(index, 0, row);
    }
    return sections;
  }

  // What batches that are no steps changed before one that is.
  passed(state, batch) {
    for (const one of batch.b ?? []) state = this.apply(state, one);
    return state;
  }

  applySections(sections, ops) {
    const placed = new Map(), taken = new Set();
    let length = sections.length;
    for (const op of ops) {
      if (op[0] === 0) taken.add(op[1]), length--;
      if (op[0] === 1) {
        placed.set(op[1], { title: op[2], key: op[3], rows: [], generation: this.generation });
        length++;
      }
      if (op[0] === 2) taken.add(op[1]), placed.set(op[2], sections[op[1]]);
    }
    const rest = sections.filter((_, at) => !taken.has(at));
    const next = [];
    for (let at = 0; at < length; at++) next.push(placed.get(at) ?? rest.shift());
    // A copy: other states have the section with its former title.
    for (const op of ops) if (op[0] === 3) {
      next[op[2]] = { ...next[op[2]], title: op[3], rows: next[op[2]].rows.slice(), generation: this.generation };
    }
    return next;
  }

  // The list after a number of batches.
  state(k) {
    if (k === this.count) return this.end;
    const at = Math.floor(k / this.stride);
    let state = this.frames[at];
    this.generation++;
    const rest = this.batches.slice(at * this.stride, k);
    for (const batch of rest) state = this.apply(this.passed(state, batch), batch);
    return state;
  }

  // The list after a number of batches, with what the last of them did.
  step(k) {
    const step = { k, marks: new Map(), gone: [], all: [], counts: { add: 0, del: 0, mod: 0, mov: 0 }, sections: [] };
    if (k === 0) return { ...step, state: this.state(0) };
    const batch = this.batches[k - 1], before = this.passed(this.state(k - 1), batch);
    step.before = before;
    this.generation++;
    step.state = this.apply(before, batch, (mark, op) => {
      step.counts[mark.kind]++;
      if (mark.kind === "del") step.gone.push([op[1], op[2], mark]); else step.marks.set(mark.id, mark);
    });
    step.all = [...step.gone.map(([, , mark]) => mark), ...step.marks.values()];
    step.sections = (batch.s ?? []).filter(op => op[0] === 3).map(op => [before[op[1]].title, op[3], op[2]]);
    return step;
  }

  // What an operation did to a row, as the page shows it. The path of its events differs from kind to kind.
  mark(batch, op, old, row) {
    const kind = ["del", "add", "mov", "mod"][op[0]], by = op[[3, 4, 6, 4][op[0]]], changes = [];
    const patch = op[0] === 3 ? op[3] : op[0] === 2 ? op[5] || [] : [];
    for (let at = 0; at < patch.length; at += 2) {
      changes.push([patch[at], old.values[patch[at]], row.values[patch[at]]]);
    }
    return { kind, id: (row ?? old).id, old, row, changes, events: by === 0 ? batch.e : by };
  }

  // The last state at a position.
  at(position) {
    return lastOf(this.count, k => this.batches[k - 1].to <= position);
  }

  position(k) { return k === 0 ? data.from : this.batches[k - 1].to; }
  time(k) { return k === 0 ? null : events.get(this.batches[k - 1].e.at(-1))?.time ?? null; }

  // Columns, where rows are alike; a line of text for each otherwise.
  layOut() {
    const most = Math.max(1, this.rowsSeen);
    const all = this.columns.map((name, at) => ({ name, at, ...this.widths[at] }));
    const used = all.filter(column => column.rows > 0);
    const isUniform = used.length > 0 && used.length <= 12
      && used.reduce((sum, column) => sum + Math.min(1, column.rows / most), 0) >= 0.6 * used.length;
    const names = ["title", "name", "label", "path", "summary", "text"];
    const rank = column => (names.indexOf(column.name) + names.length + 1) % (names.length + 1);
    used.sort((a, b) => rank(a) - rank(b));
    this.fields = isUniform ? used.map(column => ({ ...column, 
      right: column.numbers > 0.8 * column.rows, isFixed: column.numbers + column.dates > 0.8 * column.rows })) : [];
    this.label = used.find(column => names.includes(column.name))?.at ?? null;
  }

  text(row) {
    if (row.line !== null) return safe(row.line);
    const parts = [];
    for (const column in row.values) if (!isMissing(row.values[column])) {
      parts.push(safe(this.columns[column]) + ": " + words(row.values[column]));
    }
    return parts.join(", ");
  }

  // What people call a row.
  naming(row) {
    const value = this.label === null ? undefined : row.values[this.label];
    return isMissing(value) || isHidden(value) ? safe(row.id) : words(value);
  }
}

const lists = data.lists.map(list => new History(list));
