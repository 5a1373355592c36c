// What the page is told, and what follows from it: who sent what to whom, and the state after each event.

const $ = (id) => document.getElementById(id);
const inAddress = (name, otherwise) => {
  const value = parseInt(new URLSearchParams(location.hash.slice(1)).get(name), 10);
  return Number.isNaN(value) ? otherwise : value;
};

let book = JSON.parse($("story").textContent);
let chosen = Math.min(Math.max(inAddress("story", 0), 0), book.stories.length - 1);
let story = book.stories[chosen];
let runs = story ? story.runs.map(prepare) : [];
const now = { run: 0, step: 0, lane: 0, fit: false, hidden: new Set(), quiet: new Set(["start"]), unfolded: new Set(), both: Boolean(story && story.compared) };
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
const nameOf = (lane) => (lane === null ? "init" : run().lanes[lane]);
// `db[0].outcome` belongs to the lane `db[0]`.
const ownerOf = (variable) => {
  const owner = variable.slice(0, variable.lastIndexOf("."));
  return run().lanes.includes(owner) ? owner : "";
};
const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text);

function escape(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}
// A sentence whose `names in backticks` are code.
const prose = (text) => escape(text || "").replace(/`([^`]+)`/g, "<code>$1</code>");

// What an event changed and which choices were made in it, where its row does not say so already: next to the
// events of processes there are arrows.
const changesOf = (event) => (run().lanes.length ? event.choices : []).concat(event.changes.map((c) => c.told)).join(", ");
function wrongHere(at) {
  const { events, ending } = run();
  return at === events.length - 1 && ending.bad && ending.here ? "\u2190 here: " + ending.here : "";
}
// What stands next to an event: nothing for messages, which have their arrows.
function beside(event) {
  const isMessage = ["send", "receive", "handle"].includes(event.kind);
  const text = isMessage || (event.kind === "init" && run().lanes.length) ? "" : event.kind === "start" ? "starts" : event.label;
  return [text, run().lanes.length ? "" : event.choices.join(", ")].filter(Boolean).join("  ");
}

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
const inWords = (html) => html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
