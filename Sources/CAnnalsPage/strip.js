// The slider over the batches, with how much each changed, and the axis with their times.
//
// Places are batches, or microseconds in true time. `range` is the part of them in sight, null for all.
let isTimed = false, range = null;
const place = k => isTimed ? history.times[k] : k;
const whole = () => [place(0), place(history.count)];
const inSight = () => range ?? whole();

// Where a place is in sight: from 0 to 1.
function across(place) {
  const [from, to] = inSight();
  return to > from ? (place - from) / (to - from) : 0;
}

function placeAt(x) {
  const { left, width } = $("slider").getBoundingClientRect(), [from, to] = inSight();
  return from + Math.max(0, Math.min(1, (x - left) / width)) * (to - from);
}

// The last batch that isn't after a time.
const batchBefore = time => lastOf(history.count, k => history.times[k] <= time);

function batchAt(x) {
  const at = placeAt(x), low = isTimed ? batchBefore(at) : Math.round(at);
  return isTimed && low < history.count && history.times[low + 1] - at < at - history.times[low] ? low + 1 : low;
}

// Shows a part of the axis: at least four batches or a second.
function zoom(from, to) {
  const [first, last] = whole(), least = isTimed ? 1e6 : 4, middle = (from + to) / 2;
  if (to - from < least) (from = middle - least / 2), (to = middle + least / 2);
  if (!isTimed) (from = Math.floor(from)), (to = Math.ceil(to));
  range = from <= first && to >= last ? null : [Math.max(first, from), Math.min(last, to)];
  drawStrip();
}

function zoomIn(at) {
  const [from, to] = inSight();
  zoom(at - (to - from) / 8, at + (to - from) / 8);
}

function toggleTime() {
  isTimed = !isTimed;
  zoom(...whole());
  say(isTimed ? "true time" : "a bar for each batch");
}

function drawBars() {
  const canvas = $("bars"), box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale)), height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) (canvas.width = width), (canvas.height = height);
  // The style sheet has the three colours of the canvas, because only an element's own colours are computed.
  const context = canvas.getContext("2d"), tones = getComputedStyle(canvas), [from, to] = inSight();
  context.clearRect(0, 0, width, height);
  context.fillStyle = tones.outlineColor;
  context.fillRect(0, height - scale, width, scale);
  if (!history.count) return;
  // A bar for each batch, or for as many as fall on it: the largest of them.
  const most = Math.floor(box.width / 3), bars = isTimed ? most : Math.min(Math.max(1, to - from), most);
  const tops = new Float64Array(bars), firsts = [];
  history.sizes.forEach((size, at) => {
    const bar = Math.floor(across(isTimed ? history.times[at + 1] : at + 0.5) * bars * 0.999999);
    if (bar < 0 || bar >= bars) return;
    tops[bar] = Math.max(tops[bar], size, 0.1);
    firsts[bar] ??= at + 1;
  });
  // Small changes alone are low bars.
  const tallest = Math.log1p(Math.max(4, ...tops)), step = width / bars;
  const wide = Math.min(14 * scale, step > 4 * scale ? step * 0.75 : Math.max(scale, step - scale));
  for (const bar in firsts) {
    const tall = Math.max(2 * scale, (Math.log1p(tops[bar]) / tallest) * (height - 6 * scale));
    context.fillStyle = firsts[bar] <= current ? tones.color : tones.caretColor;
    context.beginPath();
    context.roundRect((Number(bar) + 0.5) * step - wide / 2, height - tall, wide, tall, Math.min(2 * scale, wide / 3));
    context.fill();
  }
}

// The parts of a date: how many microseconds each has, and how its ticks are written. The steps are the finest first.
const LONG = [31557600e6, 2629800e6, 86400e6, 3600e6, 60e6, 1e6];
const YEAR = { year: "numeric" }, MONTH = { ...YEAR, month: "short" }, DAY = { month: "short", day: "numeric" };
const HOUR = { hour: "2-digit", minute: "2-digit" };
const [YEARS, MONTHS, DAYS, HOURS, SECONDS, DATES] = [YEAR, MONTH, DAY, HOUR, { ...HOUR, second: "2-digit" },
  { ...MONTH, ...DAY }].map(form => new Intl.DateTimeFormat(undefined, form));
const FORMS = [YEARS, MONTHS, DAYS, HOURS, HOURS, SECONDS];
const STEPS = [[5, 1], [5, 10], [4, 1], [4, 10], [3, 1], [3, 6], [2, 1], [2, 7], [1, 1], [1, 3], [0, 1], [0, 5],
  [0, 20]];

// The first date, and the places at which years, months, days or shorter times begin, as far apart as their words need.
function ticks(room) {
  if (!history.count) return [];
  const [from, to] = inSight(), first = history.times[isTimed ? batchBefore(from) : Math.max(1, Math.ceil(from))];
  const last = isTimed ? to : history.times[Math.floor(to)], date = new Date(first / 1000);
  for (let step = STEPS.findLastIndex(([part, by]) => (last - first) / (LONG[part] * by) > room) + 1; ; step--) {
    const [part, by] = STEPS[Math.min(step, STEPS.length - 1)], all = [];
    const parts = [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes(),
      date.getSeconds()].slice(0, part + 1);
    parts[part] -= (parts[part] - (part === 2 ? 1 : 0)) % by;
    for (let turn = 0, next = 0; turn < 1000; turn++, parts[part] += by) {
      const [year, month = 0, day = 1, ...rest] = parts, tick = new Date(year, month, day, ...rest), at = tick * 1000;
      if (at > last || isNaN(at)) break;
      const x = across(isTimed ? at : batchBefore(at - 1));
      if (at <= first || x < next || x > 1 - 0.7 / room) continue;
      // A day begins at an hour that is worth its date.
      const isDay = part > 2 && tick.getHours() + tick.getMinutes() + tick.getSeconds() === 0;
      all.push([x, (isDay ? DAYS : FORMS[part]).format(tick)]);
      next = x + 1 / room;
    }
    // Finer steps where fewer than two dates have room.
    if (!all.length && step > 0) continue;
    if (!all.length || all[0][0] >= 1 / room) all.unshift([0, [YEARS, MONTHS, DATES][Math.min(part, 2)].format(date)]);
    return all;
  }
}

function drawAxis() {
  const marks = ticks(Math.max(1, Math.floor($("axis").clientWidth / 76))).map(([x, text]) => {
    const mark = make("span", "tick", text);
    mark.style.left = x * 100 + "%";
    return mark;
  });
  $("axis").replaceChildren(...marks, $("zone"));
  $("timed").setAttribute("aria-pressed", isTimed);
  $("whole").hidden = range === null;
}

function drawStrip() {
  // The place stays in sight.
  const at = place(current);
  if (range && (at < range[0] || at > range[1])) {
    const [first, last] = whole(), wide = range[1] - range[0];
    const from = Math.max(first, Math.min(last - wide, isTimed ? at - wide / 2 : Math.round(at - wide / 2)));
    range = [from, from + wide];
  }
  $("knob").style.left = across(at) * 100 + "%";
  drawBars();
  drawAxis();
}

const moment = at => at === null || isNaN(new Date(at / 1000)) ? "" : ", " + clock.format(new Date(at / 1000));

function peek(x) {
  const k = batchAt(x), note = $("peek"), box = $("slider").getBoundingClientRect();
  note.hidden = false;
  note.textContent = "position " + history.position(k) + moment(history.time(k));
  note.style.left = Math.max(0, Math.min(box.width - note.offsetWidth, x - box.left - note.offsetWidth / 2)) + "px";
}

function drawBar() {
  const { k, counts } = step, at = history.time(k);
  const place = "position " + history.position(k), of = `batch ${k} of ${history.count}`;
  set($("slider"), { "aria-valuemin": 0, "aria-valuemax": history.count, "aria-valuenow": k,
    "aria-valuetext": place + ", " + of + moment(at) });
  $("where").replaceChildren(
    make("b", "", place), make("span", "of", of), at === null ? "" : time(at), make("span", "of", remark));
  $("chips").replaceChildren(...signs(counts, "chip "));
  for (const id of ["first", "back"]) $(id).disabled = k === 0;
  for (const id of ["on", "last"]) $(id).disabled = k === history.count;
  $("play").disabled = !history.count;
}

// Follows the pointer from where it is pressed: `body` is called with its place and "down", "move" or "up".
function drag(element, body) {
  const isDragged = () => element.classList.contains("dragged");
  element.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    element.classList.add("dragged");
    body(event.clientX, "down");
  });
  element.addEventListener("pointermove", event => {
    peek(event.clientX);
    if (isDragged()) later(() => isDragged() && body(event.clientX, "move"));
  });
  element.addEventListener("lostpointercapture", event => {
    element.classList.remove("dragged");
    body(event.clientX, "up");
  });
  element.addEventListener("pointerleave", () => ($("peek").hidden = true));
}

drag($("slider"), (x, what) => {
  pause();
  go(batchAt(x), what === "down" ? "jump" : "same");
});

let dragged = 0;
drag($("axis"), (x, what) => {
  if (what === "down") dragged = x;
  const box = $("axis").getBoundingClientRect(), from = Math.min(dragged, x), to = Math.max(dragged, x);
  $("zone").hidden = what === "up";
  $("zone").style.left = from - box.left + "px";
  $("zone").style.width = to - from + "px";
  if (what !== "up") return;
  if (to - from > 5) zoom(placeAt(from), placeAt(to)); else zoomIn(placeAt(x));
});

let frame = 0;
// Only the last of several wishes within a frame is done.
function later(body) {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(body);
}
