// The picture: lanes, events and messages of one execution.

const SVG = "http://www.w3.org/2000/svg";

function make(parent, name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
const hover = (node, text) => make(node, "title", {}, text);

// What is drawn already and should not be covered: boxes with their middle.
let taken = [];

function draw(pane) {
  const { events, messages, laneNames, ending } = run();
  const frame = pane.clientWidth, plan = layout(frame);
  const width = Math.max(plan.width, now.fit ? 0 : frame), height = plan.bottom + 22;
  // What is only a little too wide is made to fit without being asked.
  const scale = now.fit || frame >= width * 0.8 ? Math.min(1, frame / width) : 1;
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}`, role: "presentation" })) svg.setAttribute(name, value);
  taken = [];
  bands(svg, plan, Math.max(width, frame / scale));
  for (const [lane, x] of plan.xs) {
    make(svg, "line", { class: "life" + (lane === now.lane ? " chosen" : ""), x1: x, y1: 0, x2: x, y2: plan.bottom });
  }
  events.forEach((event, at) => { if (plan.rows[at] !== null) reserve(event, at, plan); });
  // Labels of level arrows first: they have no other place.
  const isLevel = (m) => m.taken !== null && plan.rows[m.sent] === plan.rows[m.taken];
  for (const level of [true, false]) for (const [number, message] of messages) if (isLevel(message) === level) arrow(svg, number, message, plan);
  events.forEach((event, at) => { if (plan.rows[at] !== null) point(svg, event, at, plan); });
  if (run().loop !== null) loop(svg, plan);
  for (const one of ending.waiting) waits(svg, one, plan);
  plan.notes.forEach((one, at) => { if (one) remarks(svg, one, at, plan.y(at) + 4); });
  const picture = pane.querySelector(".picture");
  picture.replaceChildren(svg);
  picture.setAttribute("aria-activedescendant", now.step ? `${pane.id}-event${now.step}` : "");
  svg.querySelectorAll(".event").forEach((node) => { node.id = `${pane.id}-event${Number(node.dataset.event) + 1}`; });
  names(pane, plan.xs, laneNames, Math.max(width * scale, frame), scale);
  const title = story.compared ? story.compared.names[now.run] : now.run === 0 ? "this execution" : "the other one";
  pane.querySelector(".title").textContent = `${title}: ${ending.verdict}`;
}

function bands(svg, plan, width) {
  const here = now.run;
  plan.rows.forEach((row, at) => {
    if (row === null) return;
    const isNow = now.step === at + 1;
    const band = make(svg, "rect", { class: "band" + (isNow ? " now" : ""), x: 0, y: plan.tops[row], width, height: plan.heights[row] });
    band.dataset.event = at;
    band.addEventListener("click", () => go({ run: here, step: at + 1, lane: runs[here].events[at].place }));
  });
  plan.numbers.forEach((text, at) => {
    if (text) make(svg, "text", { class: "number", x: plan.gutter, y: plan.y(at) + 4 }, text);
  });
}

// The room of an event and of the words beside it.
function reserve(event, at, plan) {
  const x = plan.xs.get(event.place), y = plan.y(at), words = beside(event).length * CHARACTER;
  taken.push({ x, y, width: 14, height: 14 });
  if (raceHere() === at) taken.push({ x: x + (isFromRight(event) ? -20 : 20), y, width: 22, height: 22 });
  if (words) taken.push({ x: x + 12 + words / 2, y: y + 2, width: words, height: 14 });
}

function arrow(svg, number, message, plan) {
  const here = now.run, { rows, xs } = plan;
  const from = xs.get(message.from), to = xs.get(message.to);
  if (from === undefined || to === undefined || message.isAsync) return;
  const takenShown = message.taken !== null && rows[message.taken] !== null;
  if (rows[message.sent] === null || (message.taken !== null && !takenShown)) return;
  const isTaken = message.taken !== null && message.taken < now.step;
  const isSent = message.sent < now.step;
  const group = make(svg, "g", { class: "message" + (isSent ? "" : " later") + (isSent && !isTaken ? " flying" : "") });
  group.dataset.message = number;
  const y1 = plan.y(message.sent) + SLOT * (plan.slots.get(number) || 0);
  const y2 = message.taken === null ? y1 + 5 : plan.y(message.taken);
  if (from === to) itself(group, message, number, from, y1, y2);
  else across(group, message, { from, to, y1, y2, dangles: message.taken === null || (isSent && !isTaken) });
  const whereTo = message.taken === null ? "never received" : "received in event " + (message.taken + 1);
  hover(group, `${message.label}\n${run().laneNames[message.from]} \u2192 ${run().laneNames[message.to]}\nsent in event ${message.sent + 1}, ${whereTo}`);
  group.addEventListener("click", () => go({ run: here, step: (message.taken === null ? message.sent : message.taken) + 1 }));
}

// A message to oneself.
function itself(group, message, number, x, y1, y2) {
  const down = Math.max(y2, y1 + 14), out = 26 + 8 * (number % 3);
  make(group, "path", { class: "arrow", d: `M${x} ${y1}h${out}V${down}h${6 - out}` });
  make(group, "path", { class: "head", d: `M${x + 1} ${down}l8 -4v8z` });
  const width = message.label.length * CHARACTER;
  const spot = freeSpot([10, 14, 26, 38].map((more) => ({ x: x + out + 6 + width / 2, y: y1 + more })), width);
  make(group, "text", { class: "label", "text-anchor": "middle", x: spot.x, y: spot.y + 4 }, message.label);
}

function across(group, message, { from, to, y1, y2, dangles }) {
  const x2 = message.taken === null ? from + (to - from) * 0.72 : to;
  const length = Math.hypot(x2 - from, y2 - y1), dx = (x2 - from) / length, dy = (y2 - y1) / length;
  let ex = x2, ey = y2;
  if (message.taken !== null && dangles) { ex = from + (x2 - from) * 0.7; ey = y1 + (y2 - y1) * 0.7; }
  make(group, "line", { class: "arrow", x1: from, y1, x2: ex - (dangles ? 0 : dx * 14), y2: ey - (dangles ? 0 : dy * 14) });
  if (dangles) make(group, "circle", { class: "ring", cx: ex, cy: ey, r: 4.5 });
  else {
    const bx = x2 - dx * 16, by = y2 - dy * 16;
    make(group, "path", { class: "head", d: `M${x2 - dx * 6} ${y2 - dy * 6}L${bx - dy * 4.5} ${by + dx * 4.5}L${bx + dy * 4.5} ${by - dx * 4.5}Z` });
  }
  const width = message.label.length * CHARACTER;
  const spot = freeSpot(alongTheArrow({ from, to, y1, y2, x2 }, width), width);
  make(group, "text", { class: "label", "text-anchor": "middle", x: spot.x, y: spot.y + 4 }, message.label);
}

// Places for a label: above a level arrow; on a slanted one in its middle, then ever nearer to its ends; then beside it.
function alongTheArrow({ from, to, y1, y2, x2 }, width) {
  const isLevel = Math.abs(y2 - y1) < 8, reach = Math.abs(x2 - from) || 1;
  const edge = Math.min(0.5, (width / 2 + 12) / reach);
  const parts = [0.5, 0.62, 0.38, 0.74, 0.26, 0.84, 0.16, 0.92, 0.08].map((part) => Math.min(Math.max(part, edge), 1 - edge));
  const at = (part) => ({ x: from + (x2 - from) * part, y: isLevel ? y1 - 9 : y1 + (y2 - y1) * part - 5 });
  const onIt = parts.map(at);
  const shifted = (by) => onIt.map((place) => ({ x: place.x, y: place.y + by }));
  return [...onIt, ...shifted(14), ...shifted(-14), ...shifted(28)];
}

// The first place where a label covers nothing; otherwise where it covers least.
function freeSpot(places, width) {
  const height = 15;
  const overlap = (a, b) => Math.max(0, (a.width + b.width) / 2 + 3 - Math.abs(a.x - b.x)) * Math.max(0, (a.height + b.height) / 2 - Math.abs(a.y - b.y));
  let best = null, least = Infinity;
  for (const place of places) {
    const box = { ...place, width, height };
    const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
    if (covered < least) { best = box; least = covered; }
    if (covered === 0) break;
  }
  taken.push(best);
  return best;
}

const isFromRight = (event) => event.kind !== "send" && event.peer !== null && event.peer > event.lane;

function point(svg, event, at, plan) {
  const here = now.run, x = plan.xs.get(event.place), y = plan.y(at);
  const later = at >= now.step ? " later" : "";
  const isNow = now.step === at + 1;
  const group = make(svg, "g", { class: "event" + later + (isNow ? " now" : ""), role: "option", "aria-selected": String(isNow),
    "aria-label": `${at + 1}: ${inWords(describe(event))}` });
  group.dataset.event = at;
  if (plan.count[at] > 1) make(group, "rect", { class: "bar", x: x - 4, y, width: 8, height: SLOT * (plan.count[at] - 1), rx: 4 });
  if (event.kind === "crash") {
    make(group, "path", { class: "cross", d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` });
  } else if (event.kind === "timeout") {
    make(group, "circle", { class: "ring", cx: x, cy: y, r: 7 });
    make(group, "path", { class: "arrow", d: `M${x} ${y - 4}v4h3` });
  } else {
    make(group, "circle", { class: "dot", cx: x, cy: y, r: 5 });
  }
  const text = beside(event);
  const race = raceHere();
  const fromRight = isFromRight(event);
  const side = race === at && !fromRight ? 34 : 12;
  if (text) make(group, "text", { class: "label", x: x + side, y: y + 4 }, text);
  if (race === at) {
    const aside = x + (fromRight ? -20 : 20);
    const mark = make(group, "g", { class: "mark" });
    make(mark, "circle", { cx: aside, cy: y, r: 10 });
    make(mark, "text", { x: aside, y: y + 4, "text-anchor": "middle" }, "\u21c4");
    mark.addEventListener("click", (click) => { click.stopPropagation(); swap(); });
    hover(mark, story.compared ? "here they part" : "this decided it: click to see the other execution");
  }
  hover(group, inWords(describe(event)));
  group.addEventListener("click", () => go({ run: here, step: at + 1, lane: event.place }));
}

// What an event changed, and what is wrong then, at the right.
function remarks(svg, one, at, y) {
  const text = make(svg, "text", { class: "label note" + (at >= now.step ? " later" : "") + (now.step === at + 1 ? " now" : ""), x: one.x, y });
  one.lines.forEach((line, number) => make(text, "tspan", { class: line.kind, x: one.x, dy: number ? LINE : 0 }, line.text));
}

// Somebody who waits in a deadlock.
function waits(svg, one, plan) {
  const lane = one.lane === null ? undefined : run().laneNames.indexOf(run().lanes[one.lane]);
  const x = plan.xs.get(lane), { bottom } = plan;
  if (x === undefined) return;
  const group = make(svg, "g", { class: now.step < last() ? "later" : "" });
  make(group, "path", { class: "cross", d: `M${x - 7} ${bottom}h14` });
  make(group, "text", { class: "wrong", x, y: bottom + 15, "text-anchor": "middle" }, "waits");
  hover(group, `waits for ${one.what}`);
}

function loop(svg, plan) {
  const visible = plan.rows.map((row, at) => at).filter((at) => at >= run().loop && plan.rows[at] !== null);
  if (!visible.length) return;
  const top = plan.y(visible[0]) - 12, end = plan.y(visible[visible.length - 1]) + 12, x = plan.gutter + 16;
  make(svg, "path", { class: "loop", d: `M${x} ${top}h-8V${end}h8` });
  make(svg, "text", { class: "looptext", x: x - 8, y: end + 16 }, "repeats for ever");
}

function names(pane, xs, laneNames, width, scale) {
  const here = now.run, list = pane.querySelector(".names");
  list.style.width = width + "px";
  list.replaceChildren(...[...xs].map(([lane, x]) => {
    const button = document.createElement("button");
    button.textContent = laneNames[lane];
    button.style.left = x * scale + "px";
    button.setAttribute("aria-pressed", String(lane === now.lane));
    button.addEventListener("click", () => go({ run: here, lane }));
    return button;
  }));
}
