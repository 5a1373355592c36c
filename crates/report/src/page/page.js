"use strict";
// One page about one execution, and about the other one when a race decided it or two are compared; with the
// verdicts of the whole run where it is about one. Everything is drawn from what is embedded above; the position
// is kept in the address.
(() => {
  const book = JSON.parse(document.getElementById("story").textContent);
  const $ = (id) => document.getElementById(id);
  const inAddress = (name, otherwise) => {
    const value = parseInt(new URLSearchParams(location.hash.slice(1)).get(name), 10);
    return Number.isNaN(value) ? otherwise : value;
  };
  const chosen = Math.min(Math.max(inAddress("story", 0), 0), book.stories.length - 1);
  const story = book.stories[chosen];
  verdicts();
  if (!story) { nothing(); return; }
  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 34, TOP = 22, LEFT = 64, CHARACTER = 7.3;
  const now = { run: 0, step: 0, lane: 0, hidden: new Set(), quiet: new Set(["start"]), both: Boolean(story.compared) };

  // ---- What the story says -------------------------------------------------------------------

  const runs = story.runs.map(prepare);
  const run = () => runs[now.run];
  const last = () => run().events.length;

  function prepare(run) {
    const lanes = run.lanes.length ? run.lanes.slice() : ["actions"];
    const initActs = run.events.some((e) => e.lane === null && run.lanes.length);
    if (initActs) lanes.unshift("init");
    const place = (lane) => (lane === null ? 0 : lane + (initActs ? 1 : 0));
    const messages = new Map();
    const states = [new Map(run.start.map((c) => [c.variable, c.after]))];
    run.events.forEach((event, at) => {
      event.place = place(event.lane);
      const sends = event.kind === "send" && event.message !== null
        ? [{ message: event.message, label: event.label, to: event.peer }] : event.sends;
      for (const sent of sends) {
        messages.set(sent.message, { label: sent.label, from: event.place,
          to: sent.to === null ? event.place : place(sent.to), sent: at, taken: null, isAsync: sent.to === null });
      }
      if (event.kind !== "send" && messages.has(event.message)) messages.get(event.message).taken = at;
      const state = new Map(states[at]);
      for (const change of event.changes) state.set(change.variable, change.after);
      states.push(state);
    });
    return { ...run, laneNames: lanes, messages, states };
  }

  const kindOf = (event) => (["send", "receive", "handle"].includes(event.kind)
    ? event.label.split("(")[0] : event.kind);
  const isVisible = (event) => !now.hidden.has(event.place) && !now.quiet.has(kindOf(event));

  // ---- The picture ---------------------------------------------------------------------------

  function layout() {
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
    const shown = laneNames.map((_, at) => at).filter((at) => !now.hidden.has(at));
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
    let x = LEFT + Math.max(20, ((laneNames[shown[0]] || "").length * CHARACTER) / 2);
    shown.forEach((at, i) => { x += gaps[i]; xs.set(at, x); });
    let right = x;
    for (const m of messages.values()) {
      if (m.from === m.to && !m.isAsync && xs.has(m.from)) right = Math.max(right, xs.get(m.from) + 52 + m.label.length * CHARACTER);
    }
    for (const event of events) {
      if (run().lanes.length && xs.has(event.place)) right = Math.max(right, xs.get(event.place) + beside(event).length * CHARACTER);
    }
    return { rows, height: row + 1, xs, right };
  }

  function make(parent, name, attributes, text) {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    parent.appendChild(node);
    return node;
  }
  const hover = (node, text) => make(node, "title", {}, text);

  // The labels of messages drawn so far.
  let labels = [];

  function draw(pane) {
    labels = [];
    const { events, messages, laneNames, ending } = run();
    const { rows, height, xs, right } = layout();
    const y = (at) => TOP + rows[at] * ROW + ROW / 2;
    const bottom = TOP + height * ROW + 26;
    const column = right + 44;
    const longest = Math.max(0, ...events.map((event, at) => remark(event, at).length + beside(event).length));
    const width = Math.max(column + 20 + longest * CHARACTER, pane.clientWidth);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("width", width);
    svg.setAttribute("height", bottom + 20);
    bands(svg, rows, width);
    for (const [lane, x] of xs) {
      const chosen = lane === now.lane ? " chosen" : "";
      make(svg, "line", { class: "life" + chosen, x1: x, y1: 0, x2: x, y2: bottom });
    }
    for (const [number, message] of messages) arrow(svg, number, message, rows, xs, y, bottom);
    events.forEach((event, at) => { if (rows[at] !== null) point(svg, event, at, xs.get(event.place), y(at)); });
    if (run().loop !== null) loop(svg, rows, y);
    for (const one of ending.waiting) waits(svg, one, xs, bottom);
    events.forEach((event, at) => { if (rows[at] !== null) remarks(svg, event, at, run().lanes.length ? column : xs.get(event.place) + 24 + beside(event).length * CHARACTER, y(at) + 4); });
    pane.querySelector(".picture").replaceChildren(svg);
    names(pane, xs, laneNames, width);
    const title = story.compared ? story.compared.names[now.run] : now.run === 0 ? "this execution" : "the other one";
    pane.querySelector(".title").textContent = `${title}: ${ending.verdict}`;
  }

  function bands(svg, rows, width) {
    const here = now.run;
    rows.forEach((row, at) => {
      if (row === null) return;
      const isNow = now.step === at + 1;
      const band = make(svg, "rect", { class: "band" + (isNow ? " now" : ""), x: 0, y: TOP + row * ROW, width, height: ROW });
      band.dataset.event = at;
      band.addEventListener("click", () => go({ run: here, step: at + 1, lane: runs[here].events[at].place }));
    });
    // Numbers stand on the bands: an event that shares its row with the next has both.
    rows.forEach((row, at) => {
      if (row === null || (at > 0 && rows[at - 1] === row)) return;
      const both = at + 1 < rows.length && rows[at + 1] === row;
      make(svg, "text", { class: "number", x: 34, y: TOP + row * ROW + ROW / 2 + 4 }, both ? `${at + 1}\u2013${at + 2}` : String(at + 1));
    });
  }

  function arrow(svg, number, message, rows, xs, y, bottom) {
    const here = now.run;
    const from = xs.get(message.from), to = xs.get(message.to);
    if (from === undefined || to === undefined || message.isAsync) return;
    const sentShown = rows[message.sent] !== null;
    const takenShown = message.taken !== null && rows[message.taken] !== null;
    if (!sentShown) return;
    const isTaken = message.taken !== null && message.taken < now.step;
    const isSent = message.sent < now.step;
    if (message.taken !== null && !takenShown) return;
    const group = make(svg, "g", { class: "message" + (isSent ? "" : " later") + (isSent && !isTaken ? " flying" : "") });
    group.dataset.message = number;
    const y1 = y(message.sent);
    let x2 = to, y2 = message.taken === null ? Math.min(bottom - 4, y1 + 12) : y(message.taken);
    const dangles = message.taken === null || (isSent && !isTaken);
    if (from === to) {
      const down = Math.max(y2, y1 + 14), out = 26 + 8 * (number % 3);
      make(group, "path", { class: "arrow", d: `M${from} ${y1}h${out}V${down}h${6 - out}` });
      make(group, "path", { class: "head", d: `M${from + 1} ${down}l8 -4v8z` });
      make(group, "text", { class: "label", x: from + out + 6, y: y1 + 14 }, message.label);
    } else {
      if (message.taken === null) { x2 = from + (to - from) * 0.72; }
      const length = Math.hypot(x2 - from, y2 - y1), dx = (x2 - from) / length, dy = (y2 - y1) / length;
      let ex = x2, ey = y2;
      if (message.taken !== null && dangles) { ex = from + (x2 - from) * 0.7; ey = y1 + (y2 - y1) * 0.7; }
      make(group, "line", { class: "arrow", x1: from, y1, x2: ex - (dangles ? 0 : dx * 14), y2: ey - (dangles ? 0 : dy * 14) });
      if (dangles) make(group, "circle", { class: "ring", cx: ex, cy: ey, r: 4.5 });
      else {
        const bx = x2 - dx * 16, by = y2 - dy * 16;
        make(group, "path", { class: "head", d: `M${x2 - dx * 6} ${y2 - dy * 6}L${bx - dy * 4.5} ${by + dx * 4.5}L${bx + dy * 4.5} ${by - dx * 4.5}Z` });
      }
      const places = (y1 === y2 ? [0.5] : message.taken === null ? [0.36, 0.48, 0.6] : [0.62, 0.5, 0.74, 0.38, 0.84, 0.26])
        .map((t) => ({ x: from + (to - from) * t, y: y1 + (y2 - y1) * t - (y1 === y2 ? 5 : 2) }));
      const spot = freeSpot(places, message.label.length * CHARACTER);
      make(group, "text", { class: "label", "text-anchor": "middle", x: spot.x, y: spot.y }, message.label);
    }
    const whereTo = message.taken === null ? "never received" : "received in event " + (message.taken + 1);
    hover(group, `${message.label}\n${run().laneNames[message.from]} \u2192 ${run().laneNames[message.to]}\nsent in event ${message.sent + 1}, ${whereTo}`);
    group.addEventListener("click", () => go({ run: here, step: (message.taken === null ? message.sent : message.taken) + 1 }));
    group.style.cursor = "pointer";
  }

  // Where a label covers no other one, if there is such a place.
  function freeSpot(places, width) {
    const covers = (a, b) => Math.abs(a.y - b.y) < 13 && Math.abs(a.x - b.x) < (a.width + b.width) / 2 + 4;
    const below = places.map((place) => ({ x: place.x, y: place.y + 16 }));
    const free = places.concat(below).map((place) => ({ ...place, width })).find((place) => !labels.some((other) => covers(place, other)));
    const spot = free || { ...places[0], width };
    labels.push(spot);
    return spot;
  }

  function point(svg, event, at, x, y) {
    const here = now.run;
    const later = at >= now.step ? " later" : "";
    const group = make(svg, "g", { class: "event" + later + (now.step === at + 1 ? " now" : "") });
    group.dataset.event = at;
    if (event.kind === "crash") {
      make(group, "path", { class: "cross", d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` });
    } else if (event.kind === "timeout") {
      make(group, "circle", { class: "ring", cx: x, cy: y, r: 7 });
      make(group, "path", { class: "arrow", d: `M${x} ${y - 4}v4h3` });
    } else {
      make(group, "circle", { class: "dot", cx: x, cy: y, r: 5 });
    }
    const isMessage = ["send", "receive", "handle"].includes(event.kind);
    const text = beside(event);
    const race = raceHere();
    const fromRight = event.kind !== "send" && event.peer !== null && event.peer > event.lane;
    const side = race === at && !fromRight ? 34 : 12;
    if (text) make(group, "text", { class: isMessage ? "label aside" : "label", x: x + side, y: y + (isMessage ? 15 : 4) }, text);
    if (race === at) {
      const aside = x + (fromRight ? -20 : 20);
      const mark = make(group, "g", { class: "mark" });
      make(mark, "circle", { cx: aside, cy: y, r: 10 });
      make(mark, "text", { x: aside, y: y + 4, "text-anchor": "middle" }, "\u21c4");
      mark.addEventListener("click", (click) => { click.stopPropagation(); swap(); });
      hover(mark, story.compared ? "here they part" : "this decided it: click to see the other execution");
    }
    hover(group, describe(event).replace(/<[^>]*>/g, ""));
    group.addEventListener("click", () => go({ run: here, step: at + 1, lane: event.place }));
    group.style.cursor = "pointer";
  }

  const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text);
  // Choices of processes stand with the changes: next to the event there are arrows.
  const changesOf = (event) => clip((run().lanes.length ? event.choices : []).concat(event.changes.map((c) => c.told)).join(", "), 90);
  function wrongHere(at) {
    const { events, ending } = run();
    return at === events.length - 1 && ending.bad && ending.here ? "\u2190 here: " + ending.here : "";
  }
  const remark = (event, at) => changesOf(event) + "  " + wrongHere(at);

  // What an event changed, and what is wrong then, at the right.
  function remarks(svg, event, at, x, y) {
    const changes = changesOf(event), here = wrongHere(at);
    if (!changes && !here) return;
    const text = make(svg, "text", { class: "label" + (at >= now.step ? " later" : ""), x, y });
    if (changes) make(text, "tspan", { class: "aside" }, changes);
    if (here) make(text, "tspan", { class: "wrong", dx: changes ? 14 : 0 }, here);
  }

  // What stands next to an event: nothing for messages, which have their arrows.
  function beside(event) {
    const isMessage = ["send", "receive", "handle"].includes(event.kind);
    const text = isMessage || (event.kind === "init" && run().lanes.length) ? "" : event.kind === "start" ? "starts" : event.label;
    return [text, run().lanes.length ? "" : event.choices.join(", ")].filter(Boolean).join("  ");
  }

  // Somebody who waits in a deadlock.
  function waits(svg, one, xs, bottom) {
    const lane = one.lane === null ? undefined : run().laneNames.indexOf(run().lanes[one.lane]);
    const x = xs.get(lane);
    if (x === undefined) return;
    const group = make(svg, "g", { class: now.step < last() ? "later" : "" });
    make(group, "path", { class: "cross", d: `M${x - 7} ${bottom}h14` });
    make(group, "text", { class: "wrong", x, y: bottom + 15, "text-anchor": "middle" }, "waits");
    hover(group, `waits for ${one.what}`);
  }

  function loop(svg, rows, y) {
    const visible = rows.map((row, at) => at).filter((at) => at >= run().loop && rows[at] !== null);
    if (!visible.length) return;
    const top = y(visible[0]) - 12, end = y(visible[visible.length - 1]) + 12;
    make(svg, "path", { class: "loop", d: `M50 ${top}h-8V${end}h8` });
    make(svg, "text", { class: "looptext", x: 42, y: end + 16 }, "repeats for ever");
  }

  function names(pane, xs, laneNames, width) {
    const here = now.run, list = pane.querySelector(".names");
    list.style.width = width + "px";
    list.replaceChildren(...[...xs].map(([lane, x]) => {
      const button = document.createElement("button");
      button.textContent = laneNames[lane];
      button.style.left = x + "px";
      button.setAttribute("aria-pressed", String(lane === now.lane));
      button.addEventListener("click", () => go({ run: here, lane }));
      return button;
    }));
  }

  // ---- The panels ----------------------------------------------------------------------------

  function escape(text) {
    return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  }

  // Every verdict of the run, and what took part.
  function verdicts() {
    const signs = { proved: ["yes", "\u2713"], holds: ["yes", "\u2713"], REFUTED: ["no", "\u2717"], unknown: ["open", "?"] };
    $("verdicts").innerHTML = book.files.map((file) => {
      const rows = file.verdicts.map((one) => {
        const [cls, sign] = signs[one.verdict];
        const name = one.story === null ? escape(one.property) : `<button data-story="${one.story}" title="show the execution">${escape(one.property)}</button>`;
        const here = one.story !== null && one.story === chosen ? " chosen" : "";
        const more = [one.bound, one.engine, one.detail, ...one.notes].filter(Boolean).map(escape).join(" \u00b7 ");
        return `<li class="${cls}${here}" title="${more}">${sign} ${one.verdict} ${name}<small>${escape(one.bound)}, ${escape(one.engine)}</small></li>`;
      });
      const covered = (file.coverage || []).map((one) => `<li>${escape(one)}</li>`).join("");
      return `<h2>${escape(file.file)}</h2><ul>${rows.join("")}</ul>` + (covered ? `<h2>Covered</h2><ul id="covered">${covered}</ul>` : "");
    }).join("");
    for (const button of $("verdicts").querySelectorAll("button")) {
      button.addEventListener("click", () => { location.hash = `#story=${button.dataset.story}`; });
    }
  }

  // There is no execution to look at.
  function nothing() {
    $("badge").textContent = "fine";
    $("badge").className = "badge fine";
    const all = book.files.flatMap((file) => file.verdicts);
    const open = all.filter((one) => one.verdict === "unknown");
    const refuted = all.filter((one) => one.verdict === "REFUTED");
    if (open.length) { $("badge").textContent = "unknown"; $("badge").className = "badge other"; }
    if (refuted.length) { $("badge").textContent = "refuted"; $("badge").className = "badge"; }
    $("property").textContent = book.files.map((file) => file.file).join(", ");
    const sentence = refuted.length ? "What is refuted is no execution of processes: it is told in words." : "Nothing was refuted: there is no execution to show. The verdicts are at the left.";
    const told = [...refuted, ...open].map((one) => {
      const said = one.notes.some((note) => note.startsWith(one.detail));
      const words = [said ? "" : one.detail, ...one.notes].filter(Boolean).map((text) => `<p>${escape(text)}</p>`).join("");
      return `<section class="told"><h2>${one.verdict} ${escape(one.property)}</h2>${words}</section>`;
    });
    $("picture").innerHTML = `<p class="empty">${sentence}</p>` + told.join("");
    $("tool").textContent = book.tool || "";
    $("right").hidden = true;
    addEventListener("hashchange", () => location.reload());
  }

  const nameOf = (lane) => (lane === null ? "init" : run().lanes[lane]);

  function describe(event) {
    const who = run().lanes.length ? `<b>${escape(nameOf(event.lane))}</b> ` : "";
    const label = `<code>${escape(event.label)}</code>`;
    const peer = run().lanes.length ? escape(nameOf(event.peer)) : "";
    switch (event.kind) {
      case "send": return `${who}sends ${label} to <b>${peer}</b>`;
      case "receive": return `${who}receives ${label} from <b>${peer}</b>`;
      case "handle": return `${who}handles ${label} from <b>${peer}</b>`;
      case "timeout": return `${who}gives up waiting`;
      case "start": return `${who}starts`;
      case "init": return "the <b>init</b> block runs";
      case "transfer": return `${who}${label} from <b>${peer}</b>`;
      default: return `${who}${label}`;
    }
  }

  function panels() {
    const { events, states, ending, truths } = run();
    const isFinal = ending.verdict === "fine" || truths.some((t) => t.atTheEnd && t.property === story.property);
    const event = now.step > 0 ? events[now.step - 1] : null;
    const atEnd = now.step === events.length;
    $("count").textContent = now.step === 0 ? `start, before ${events.length} events` : `event ${now.step} of ${events.length}`;
    $("first").disabled = $("back").disabled = now.step === 0;
    $("next").disabled = $("last").disabled = atEnd;
    let what = event ? describe(event) : "before the first event";
    if (event && event.choices.length) what += `<br><span class="kind">choosing</span> <code>${event.choices.map(escape).join(", ")}</code>`;
    // An action that leaves itself again says nothing by that.
    const sends = event ? event.sends.filter((s) => s.to !== null || s.label !== event.label) : [];
    if (event && event.kind !== "send" && sends.length) {
      what += `<br><span class="kind">and ${sends[0].to === null ? "leaves" : "sends"}</span> ` + sends.map((s) => `<code>${escape(s.label)}</code>`
        + (s.to === null ? "" : " to " + escape(nameOf(s.to)))).join(", ");
    }
    if (atEnd) {
      what += `<br><span class="${ending.bad ? "bad" : "kind"}">${escape(ending.reason)}</span>`;
      const rest = ending.waiting.map((w) => `${w.lane === null ? "" : "<b>" + escape(nameOf(w.lane)) + "</b> waits for "}<code>${escape(w.what)}</code> (line ${w.line})`)
        .concat(ending.undelivered.filter((s) => s.to !== null || ending.verdict === "cut off").map((s) => `<code>${escape(s.label)}</code> ${isFinal || ending.waiting.length ? "was never received" : "is still in flight"}` + (s.to === null ? "" : isFinal || ending.waiting.length ? ` by ${escape(nameOf(s.to))}` : ` to ${escape(nameOf(s.to))}`)));
      if (rest.length) what += `<ul>${rest.map((r) => `<li>${r}</li>`).join("")}</ul>`;
    }
    $("what").innerHTML = what;
    $("what").className = atEnd && ending.bad ? "bad" : "";
    $("properties").innerHTML = truths.map((t) => {
      const value = t.holds[now.step];
      const judged = !t.atTheEnd || (atEnd && isFinal);
      const [cls, sign] = !judged || value === null ? ["open", "\u00b7"] : value ? ["yes", "\u2713"] : ["no", "\u2717"];
      return `<li class="${cls}" title="${t.atTheEnd ? "judged at the end" : "judged in every state"}">${sign} ${escape(t.property)}${t.atTheEnd ? " <small>(at the end)</small>" : ""}</li>`;
    }).join("") || '<li class="open">' + escape(story.note || "none about single states") + "</li>";
    state(states[now.step], now.step > 0 ? states[now.step - 1] : null, event);
    source(event ? event.line : null, atEnd ? ending.line : null);
  }

  // `db[0].outcome` belongs to the lane `db[0]`.
  const ownerOf = (variable) => {
    const owner = variable.slice(0, variable.lastIndexOf("."));
    return run().lanes.includes(owner) ? owner : "";
  };

  function state(state, before, event) {
    const groups = new Map();
    for (const [variable, value] of state) {
      const owner = ownerOf(variable);
      if (!groups.has(owner)) groups.set(owner, []);
      groups.get(owner).push([variable, value]);
    }
    const chosen = run().laneNames[now.lane];
    const other = side() ? runs[1 - now.run].states[stepOf(1 - now.run)] : null;
    const owners = [...groups.keys()].sort((a, b) => (b === chosen) - (a === chosen));
    const rows = [];
    for (const owner of owners) {
      if (owner) rows.push(`<tr class="lane"><td colspan="2">${escape(owner)}</td></tr>`);
      for (const [variable, value] of groups.get(owner)) {
        const old = before ? before.get(variable) : undefined;
        const changed = before && old !== value;
        const name = owner ? variable.slice(owner.length + 1) : variable;
        const change = changed && event ? event.changes.find((one) => one.variable === variable) : undefined;
        const parts = change ? change.parts : [];
        const was = changed && old !== undefined && !parts.length ? `<span class="old">${escape(old)}</span>` : "";
        const values = was + escape(value) + parts.map((part) => `<div class="part">${escape(part)}</div>`).join("")
          + (other && other.get(variable) !== value ? `<div class="other">other side: ${escape(other.get(variable) || "-")}</div>` : "");
        rows.push(`<tr class="${changed ? "changed" : ""}" data-variable="${escape(variable)}"><td class="mono">${escape(name)} <button title="to its first change" data-variable="${escape(variable)}">\u21b1</button></td><td class="value mono">${values}</td></tr>`);
      }
    }
    $("state").innerHTML = rows.join("") || '<tr><td class="open">no state variables</td></tr>';
    for (const button of $("state").querySelectorAll("button")) {
      button.addEventListener("click", () => firstChange(button.dataset.variable));
    }
  }

  function firstChange(variable) {
    const at = run().events.findIndex((event) => event.changes.some((change) => change.variable === variable));
    if (at >= 0) go({ step: at + 1 });
  }

  function source(line, also) {
    const text = now.run === 1 && story.others ? story.others : story;
    const file = text.file.split("/").pop();
    $("sourcename").textContent = line === null ? file : `${file}:${line}`;
    if (!text.source.length) { $("source").textContent = "  the song was not at hand"; return; }
    const centre = line || also || 1;
    const from = Math.max(1, centre - 5), to = Math.min(text.source.length, from + 11);
    const lines = [];
    for (let n = from; n <= to; n++) {
      lines.push(`<div class="${n === line ? "hit" : ""}"><i>${n}</i>${escape(text.source[n - 1]) || " "}</div>`);
    }
    $("source").innerHTML = lines.join("");
  }

  function heading() {
    const { ending } = run();
    $("badge").textContent = ending.verdict;
    $("badge").className = "badge" + (ending.bad ? "" : ending.verdict === "fine" ? " fine" : " other");
    $("property").textContent = story.property || "";
    const sizes = story.bound.map(([name, value]) => `${name}=${value}`).join(", ");
    $("place").textContent = [story.file + (ending.line ? ":" + ending.line : ""), sizes].filter(Boolean).join("   ");
    $("reason").textContent = ending.reason;
    $("tool").textContent = story.tool;
    $("race").hidden = !story.race && !story.compared;
    $("both").textContent = now.both ? "one at a time" : "side by side";
    if (story.compared) {
      $("racetext").textContent = story.compared.same ? "every process does the same in both"
        : story.compared.sentence ? `first difference: ${story.compared.sentence}` : "every process does the same in both; they are only judged differently";
      $("swap").textContent = "\u21c4 the other side";
    }
    if (story.race) {
      $("racetext").textContent = `${story.race.word}: ${story.race.sentence}`;
      $("swap").textContent = now.run === 0 ? "\u21c4 show that execution" : "\u21c4 back to the failing one";
    }
  }

  function filters() {
    const { laneNames, events } = run();
    check($("lanes"), laneNames.map((name, at) => [at, name]), now.hidden);
    const kinds = [...new Set(events.map(kindOf))];
    check($("kinds"), kinds.map((kind) => [kind, kind]), now.quiet);
  }

  function check(list, items, off) {
    list.replaceChildren(...items.map(([key, name]) => {
      const item = document.createElement("li"), label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !off.has(key);
      box.addEventListener("change", () => { if (box.checked) off.delete(key); else off.add(key); show(); });
      label.append(box, " " + name);
      item.append(label);
      return item;
    }));
  }

  // ---- Moving --------------------------------------------------------------------------------

  // Where the two executions part, in each.
  const parting = story.race ? [story.race.event, story.race.instead] : story.compared ? story.compared.parting : [null, null];
  const raceHere = () => parting[now.run];
  const side = () => now.both && runs.length > 1;

  // Where an execution stands when the chosen one is where it is.
  function stepOf(which) {
    if (which === now.run) return now.step;
    const [here, there] = [parting[now.run], parting[which]];
    const same = here === null || there === null || now.step <= here;
    return Math.min(Math.max(same ? now.step : now.step - here + there, 0), runs[which].events.length);
  }

  function swap() {
    if (runs.length < 2) return;
    const other = 1 - now.run;
    go({ run: other, step: parting[other] === null ? stepOf(other) : parting[other] + 1 });
  }

  function go(where) {
    Object.assign(now, where);
    now.run = Math.min(Math.max(now.run, 0), runs.length - 1);
    now.step = Math.min(Math.max(now.step, 0), last());
    now.lane = Math.min(Math.max(now.lane, 0), run().laneNames.length - 1);
    const fragment = `#step=${now.step}&lane=${now.lane}` + (now.run ? `&run=${now.run}` : "")
      + (now.both === Boolean(story.compared) ? "" : `&both=${Number(now.both)}`) + (chosen ? `&story=${chosen}` : "");
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
    show();
  }

  function along(by) {
    let at = now.step + by;
    while (at >= 1 && at <= last() && run().events[at - 1].place !== now.lane) at += by;
    if (at >= 1 && at <= last()) go({ step: at });
  }

  // Events that are not shown are stepped over.
  function step(by) {
    let at = now.step + by;
    while (at >= 1 && at < last() && !isVisible(run().events[at - 1])) at += by;
    if (at < 0 || at > last()) return;
    go(at >= 1 ? { step: at, lane: run().events[at - 1].place } : { step: at });
  }

  function show() {
    document.body.dataset.step = now.step;
    document.body.dataset.run = now.run;
    document.body.dataset.lane = now.lane;
    document.body.dataset.both = side() ? 1 : 0;
    $("pane1").hidden = !side();
    heading(); filters();
    if (side()) { [0, 1].forEach(drawSide); } else { $("pane0").classList.remove("chosen"); draw($("pane0")); }
    panels();
    document.querySelectorAll(".band.now").forEach(reveal);
  }

  // Scrolls the pane, and nothing around it, until the band is seen.
  function reveal(band) {
    const pane = band.closest(".pane"), there = band.getBoundingClientRect(), frame = pane.getBoundingClientRect();
    const above = pane.querySelector(".names").getBoundingClientRect().bottom - there.top, below = there.bottom - frame.bottom;
    if (above > 0) pane.scrollTop -= above;
    else if (below > 0) pane.scrollTop += below;
  }

  // One of two executions that stand side by side.
  function drawSide(which) {
    const { run, step, lane } = now, pane = $("pane" + which);
    pane.classList.toggle("chosen", which === run);
    const there = stepOf(which);
    Object.assign(now, { run: which, step: there, lane: which === run ? lane : -1 });
    draw(pane);
    Object.assign(now, { run, step, lane });
  }

  function fromAddress() {
    const number = inAddress;
    if (number("story", 0) !== chosen && book.stories[number("story", 0)]) { location.reload(); return; }
    now.both = Boolean(number("both", Number(Boolean(story.compared))));
    now.run = Math.min(number("run", 0), runs.length - 1);
    const end = runs[now.run].events.length;
    const at = number("step", end);
    go({ step: at, lane: number("lane", at > 0 && end ? runs[now.run].events[Math.min(at, end) - 1].place : 0) });
  }

  const keys = {
    ArrowRight: () => step(1), ArrowDown: () => step(1), ArrowLeft: () => step(-1), ArrowUp: () => step(-1),
    Home: () => go({ step: 0 }), End: () => go({ step: last() }),
    "]": () => go({ lane: now.lane + 1 }), "[": () => go({ lane: now.lane - 1 }),
    s: swap, c: compare, d: theme,
  };
  const shifted = { ArrowRight: () => along(1), ArrowDown: () => along(1), ArrowLeft: () => along(-1), ArrowUp: () => along(-1) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = event.shiftKey ? shifted[event.key] : keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  function compare() {
    if (runs.length > 1) go({ both: !now.both });
  }

  function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  $("first").addEventListener("click", () => go({ step: 0 }));
  $("back").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("last").addEventListener("click", () => go({ step: last() }));
  $("swap").addEventListener("click", swap);
  $("both").addEventListener("click", compare);
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
