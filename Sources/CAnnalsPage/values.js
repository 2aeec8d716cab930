const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const MARKS = { add: "+", del: "−", mod: "~", mov: "↕" };
const WORDS = { add: "inserted", del: "deleted", mod: "changed", mov: "moved" };

// All text of the log goes through here, as it does where the tool prints it: what would turn the writing, hide, or
// pile up is shown by number. Joiners and selectors stay where they make a picture of several parts.
const PLAIN = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u3400-\u9fff\uac00-\ud7a3]*$/;
const HIDDEN = new RegExp("[\\0-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb]"
  + "|\\p{Default_Ignorable_Code_Point}", "u");
const MOST_MARKS = 8;
const isPicture = c => c !== null && c !== undefined && c > "\x7f" && /\p{Emoji}/u.test(c);

function selects(selector, base, next) {
  if (base < "\x80") return /\p{Emoji}/u.test(base) && selector === "\ufe0f" && next === "\u20e3";
  return isPicture(base) && (selector === "\ufe0e" || !/\p{Emoji_Presentation}/u.test(base));
}

function safe(text) {
  if (PLAIN.test(text)) return text;
  const all = [...text];
  let out = "", base = null, isSelected = false, marks = MOST_MARKS;
  all.forEach((c, at) => {
    let isShown = true;
    if (c === "\u200d") isShown = isPicture(base) && isPicture(all[at + 1]);
    else if (c === "\ufe0e" || c === "\ufe0f") {
      isShown = !isSelected && base !== null && selects(c, base, all[at + 1]);
      isSelected = true;
    } else if (HIDDEN.test(c)) {
      isShown = false;
      (base = null), (marks = MOST_MARKS);
    } else if (/[\p{Mn}\p{Me}]/u.test(c)) isShown = marks++ < MOST_MARKS;
    else (base = c), (isSelected = false), (marks = 0);
    out += isShown ? c : "\\u{" + c.codePointAt(0).toString(16) + "}";
  });
  return out;
}

// Makes an element; text is only ever set as text.
function make(tag, names, ...inside) {
  const element = document.createElement(tag);
  if (names) element.className = names;
  for (const part of inside) if (part !== null && part !== undefined) element.append(part);
  return element;
}

// Sets attributes of an element.
function set(element, attributes) {
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  return element;
}

// Adds a thing to the list that a map has for a key.
const put = (map, key, thing) => map.has(key) ? map.get(key).push(thing) : map.set(key, [thing]);

// The last number up to the most for which something holds that holds for all smaller ones.
function lastOf(most, holds) {
  let low = 0, high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle; else high = middle - 1;
  }
  return low;
}

// A value of a row: a string, number or Boolean, [text] for other JSON, [0] for a hidden one, [] or nothing for
// none.
const isMissing = value => value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const isHidden = value => Array.isArray(value) && value[0] === 0;

// RFC 3339 texts are dates for people.
const isDate = value => typeof value === "string" && value[10] === "T"
  && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !isNaN(new Date(value));
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

// A value as the log has it, without what only this page adds.
function raw(value) {
  if (isMissing(value)) return "";
  if (isHidden(value)) return "redacted";
  if (!Array.isArray(value)) return String(value);
  if (!value[0].startsWith('{"$personal"')) return value[0];
  const field = JSON.parse(value[0]);
  if (isMissing(field.value)) return "erased";
  return typeof field.value === "string" ? field.value : JSON.stringify(field.value);
}

const words = value => isMissing(value) ? "–" : value === "" ? '""' : isDate(value) ? clock.format(new Date(value)) : safe(raw(value));

// True if the page has no value to show.
const isVeiled = value => isMissing(value) || isHidden(value) || (Array.isArray(value) && words(value) === "erased");

// What is, and what was: the new value comes first, so that it is never cut away.
const turned = (old, now) =>
  [set(make("ins", "", now), { dir: "auto" }), " ", set(make("del", "", old), { dir: "auto" })];

const isNumber = value =>
  typeof value === "number" || (Array.isArray(value) && typeof value[0] === "string" && /^-?\d/.test(value[0]));

// Indents JSON without reading it, so that each number stays as it was written.
function pretty(json) {
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|([{[])\s*([}\]])|[{}[\],:]|\s+/g, (token, text, open, shut) => {
    if (text) return token;
    if (open) return open + shut;
    if (token === "{" || token === "[") return depth++, token + line();
    if (token === "}" || token === "]") return depth--, line() + token;
    return token === "," ? token + line() : token === ":" ? ": " : "";
  }).split("\n").map(safe).join("\n");
}

// A time in microseconds: in the reader's zone, with UTC where the mouse rests.
function time(micros) {
  const date = new Date(Math.floor(micros / 1000)), element = make("time");
  if (isNaN(date)) return make("time", "", micros + " µs");
  element.textContent = clock.format(date);
  element.dateTime = date.toISOString();
  const rest = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, "0");
  element.title = date.toISOString().slice(0, -5) + "." + rest + "Z";
  return element;
}

const count = (n, noun, nouns = noun + "s") => n.toLocaleString() + " " + (n === 1 ? noun : nouns);

// Words that must all be there; `field:word` must be in that field, if there is such a field.
const wishes = text => text.toLowerCase().split(/\s+/).filter(Boolean).map(part => {
  const [, field, word] = part.match(/^([^:]+):(.+)$/) ?? [];
  return { field, word, part };
});
const meets = (wanted, all, value) => wanted.every(({ field, word, part }) => {
  const text = field && value(field);
  return typeof text === "string" ? text.toLowerCase().includes(word) : all.includes(part);
});
