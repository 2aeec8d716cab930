// The slider over the batches, with how much each changed.
function drawBars() {
  const canvas = $("bars"), box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale)), height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) (canvas.width = width), (canvas.height = height);
  const context = canvas.getContext("2d"), colour = name => getComputedStyle($(name)).color;
  context.clearRect(0, 0, width, height);
  const count = history.count, tones = ["past", "ahead", "line"];
  const [past, ahead, ground] = tones.map(name => colour("tone-" + name));
  context.fillStyle = ground;
  context.fillRect(0, height - scale, width, scale);
  if (!count) return;
  // A bar for each batch, or for as many as fall on it: the largest of them.
  const bars = Math.min(count, Math.floor(box.width / 3)), tops = new Float64Array(bars);
  history.sizes.forEach((size, at) => {
    const bar = Math.floor((at * bars) / count);
    tops[bar] = Math.max(tops[bar], size);
  });
  const most = Math.log1p(Math.max(...tops)), step = width / bars, now = current / count;
  const wide = Math.min(14 * scale, step > 4 * scale ? step * 0.75 : Math.max(scale, step - scale));
  for (let at = 0; at < bars; at++) {
    const tall = Math.max(2 * scale, (Math.log1p(tops[at]) / most) * (height - 6 * scale));
    context.fillStyle = (at + 0.5) / bars <= now ? past : ahead;
    context.beginPath();
    context.roundRect((at + 0.5) * step - wide / 2, height - tall, wide, tall, Math.min(2 * scale, wide / 3));
    context.fill();
  }
}

const moment = at => at === null || isNaN(new Date(at / 1000)) ? "" : ", " + clock.format(new Date(at / 1000));

const batchAt = x => {
  const box = $("slider").getBoundingClientRect();
  return Math.max(0, Math.min(history.count, Math.round(((x - box.left) / box.width) * history.count)));
};

function peek(x) {
  const k = batchAt(x), note = $("peek"), box = $("slider").getBoundingClientRect();
  note.hidden = false;
  const at = history.time(k);
  note.textContent = "position " + history.position(k) + moment(at);
  note.style.left = Math.max(0, Math.min(box.width - note.offsetWidth, x - box.left - note.offsetWidth / 2)) + "px";
}

function drawBar() {
  const { k, counts } = step, slider = $("slider"), at = history.time(k);
  $("knob").style.left = (history.count ? (k / history.count) * 100 : 0) + "%";
  slider.setAttribute("aria-valuemin", 0);
  slider.setAttribute("aria-valuemax", history.count);
  slider.setAttribute("aria-valuenow", k);
  const place = "position " + history.position(k), of = `batch ${k} of ${history.count}`;
  slider.setAttribute("aria-valuetext", place + ", " + of + moment(at));
  const where = [make("b", "", place), make("span", "of", of)];
  if (at !== null) where.push(time(at));
  $("where").replaceChildren(...where);
  const chips = Object.keys(counts).filter(kind => counts[kind]).map(kind => {
    const chip = make("span", "chip " + kind, MARKS[kind] + counts[kind].toLocaleString());
    chip.title = counts[kind] + " " + WORDS[kind];
    chip.setAttribute("role", "img");
    chip.setAttribute("aria-label", chip.title);
    return chip;
  });
  $("chips").replaceChildren(...chips);
  for (const id of ["first", "back"]) $(id).disabled = k === 0;
  for (const id of ["on", "last"]) $(id).disabled = k === history.count;
}

{
  const slider = $("slider");
  let isDragged = false;
  slider.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    isDragged = true;
    slider.setPointerCapture(event.pointerId);
    slider.classList.add("dragged");
    pause();
    go(batchAt(event.clientX), { isJump: true });
  });
  slider.addEventListener("pointermove", event => {
    peek(event.clientX);
    if (isDragged) later(() => go(batchAt(event.clientX), { isQuiet: true }));
  });
  const end = () => {
    isDragged = false;
    slider.classList.remove("dragged");
  };
  slider.addEventListener("pointerup", end);
  slider.addEventListener("pointercancel", end);
  slider.addEventListener("pointerleave", () => ($("peek").hidden = true));
}

let frame = 0;
// Only the last of several wishes within a frame is done.
function later(body) {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(body);
}
