// Where everything stands: rows as high as what they show, lanes as far apart as the labels between them are long.

const ROW = 34, TOP = 22, CHARACTER = 7.3, DIGIT = 6.7, LINE = 16, SLOT = 19;
// Notes at the right are at least this wide, and at most this many lines high; the panel tells the rest.
const NARROWEST = 24, MOST_LINES = 6;

function layout(room) {
  const { events, laneNames, messages } = run();
  const rows = new Array(events.length).fill(null);
  let row = -1;
  events.forEach((event, at) => {
    if (!isVisible(event)) return;
    const before = at > 0 ? events[at - 1] : null;
    const joined = before && isVisible(before) && before.kind === "send" && event.kind !== "send"
      && before.message !== null && before.message === event.message && before.place !== event.place;
    if (!joined) row += 1;
    rows[at] = row;
  });
  const numbers = numbersOf(rows);
  const gutter = 14 + Math.max(2, ...numbers.filter(Boolean).map((text) => text.length)) * DIGIT;
  const shown = laneNames.map((_, at) => at).filter((at) => !now.hidden.has(at));
  const xs = lanesAt(shown, gutter + 24 + (run().loop === null ? 0 : 18));
  let right = Math.max(gutter, ...xs.values());
  for (const m of messages.values()) {
    if (m.from === m.to && !m.isAsync && xs.has(m.from)) right = Math.max(right, xs.get(m.from) + 58 + m.label.length * CHARACTER);
  }
  for (const event of events) {
    if (run().lanes.length && xs.has(event.place)) right = Math.max(right, xs.get(event.place) + 12 + beside(event).length * CHARACTER);
  }
  const slots = slotsOf(rows, xs);
  const notes = events.map((event, at) => (rows[at] === null ? null : note(event, at, xs, right + 28, room)));
  const heights = new Array(row + 1).fill(ROW);
  events.forEach((_, at) => {
    if (rows[at] === null) return;
    const lines = notes[at] ? notes[at].lines.length : 0;
    heights[rows[at]] = Math.max(heights[rows[at]], 18 + lines * LINE, ROW + (slots.count[at] - 1) * SLOT);
  });
  const tops = [];
  let y = TOP;
  for (const height of heights) { tops.push(y); y += height; }
  let width = right + 24;
  for (const one of notes) if (one) width = Math.max(width, one.x + 16 + CHARACTER * Math.max(...one.lines.map((line) => line.text.length)));
  return { rows, numbers, gutter, xs, slots: slots.of, count: slots.count, notes, heights, tops, width, bottom: y + 26,
    y: (at) => tops[rows[at]] + ROW / 2 };
}

// The numbers that stand at the rows: an event that shares its row with the next has both.
function numbersOf(rows) {
  return rows.map((row, at) => {
    if (row === null || (at > 0 && rows[at - 1] === row)) return null;
    const both = at + 1 < rows.length && rows[at + 1] === row;
    return both ? `${at + 1}\u2013${at + 2}` : String(at + 1);
  });
}

function lanesAt(shown, left) {
  const { laneNames, messages } = run();
  const gaps = shown.map((at, i) => i === 0 ? 0
    : Math.max(110, (laneNames[shown[i - 1]].length + laneNames[at].length) * CHARACTER / 2 + 36));
  for (const m of messages.values()) {
    const a = shown.indexOf(m.from), b = shown.indexOf(m.to);
    if (a < 0 || b < 0 || a === b) continue;
    const low = Math.min(a, b), high = Math.max(a, b);
    const need = m.label.length * CHARACTER + 44;
    const there = gaps.slice(low + 1, high + 1).reduce((x, y) => x + y, 0);
    if (there < need) for (let i = low + 1; i <= high; i++) gaps[i] += (need - there) / (high - low);
  }
  const xs = new Map();
  let x = left + Math.max(14, ((laneNames[shown[0]] || "").length * CHARACTER) / 2);
  shown.forEach((at, i) => { x += gaps[i]; xs.set(at, x); });
  return xs;
}

// Messages that leave with one event leave one below the other: what is never received first, then by arrival.
function slotsOf(rows, xs) {
  const { events, messages } = run();
  const of = new Map(), count = new Array(events.length).fill(1), leaving = events.map(() => []);
  for (const [number, m] of messages) {
    if (!m.isAsync && rows[m.sent] !== null && xs.has(m.from) && xs.has(m.to) && (m.taken === null || rows[m.taken] !== null)) leaving[m.sent].push(number);
  }
  leaving.forEach((numbers, at) => {
    const arrival = (number) => messages.get(number).taken ?? -1;
    numbers.sort((a, b) => arrival(a) - arrival(b) || a - b).forEach((number, slot) => of.set(number, slot));
    count[at] = Math.max(1, numbers.length);
  });
  return { of, count };
}

// What an event changed, and what is wrong then, in lines that fit at the right.
function note(event, at, xs, column, room) {
  const isList = !run().lanes.length;
  const x = isList ? xs.get(event.place) + 24 + beside(event).length * CHARACTER : column;
  const most = Math.max(NARROWEST, Math.floor((room - x - 24) / CHARACTER));
  const changes = wrapped(changesOf(event), most).map((text) => ({ text, kind: "aside" }));
  const wrong = wrapped(wrongHere(at), most).map((text) => ({ text, kind: "wrong" }));
  const lines = changes.concat(wrong);
  return lines.length ? { x, lines } : null;
}

function wrapped(text, most) {
  const lines = [];
  let line = "";
  // `turn = 1` stays together where it fits.
  const tied = text.replace(/ (=|\+=|-=|=>) /g, "\u00a0$1\u00a0").split(" ");
  const words = tied.flatMap((word) => (word.length > most ? word.split("\u00a0") : [word])).filter(Boolean);
  for (const word of words.flatMap((word) => word.match(new RegExp(`.{1,${most}}`, "gu")))) {
    if (line && line.length + 1 + word.length > most) { lines.push(line); line = word; }
    else line = line ? line + " " + word : word;
  }
  if (line) lines.push(line);
  if (lines.length > MOST_LINES) { lines.length = MOST_LINES; lines[MOST_LINES - 1] = clip(lines[MOST_LINES - 1], most - 1) + "\u2026"; }
  return lines;
}
