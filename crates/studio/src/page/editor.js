// The editor: a textarea over a painted copy of its text, with numbers and verdicts in the gutter.

const LINE = 20, PAD_X = 10, PAD_Y = 8;
const SEVERITY = { 1: "error", 2: "warning", 3: "note", 4: "hint" };
const open = { uri: "", name: "", version: 0, saved: null, tokens: [], problems: [], marks: [] };
const lines = () => $("text").value.split("\n");
let character = 8;

function measure() {
  const probe = document.createElement("span");
  probe.textContent = "x".repeat(100);
  $("paint").append(probe);
  character = probe.getBoundingClientRect().width / 100;
  probe.remove();
}

// Opens a text under a name; one at a time.
function openText(uri, name, text, saved) {
  if (open.uri) tell("textDocument/didClose", { textDocument: { uri: open.uri } });
  Object.assign(open, { uri, name, version: 1, saved, tokens: [], problems: [], marks: [] });
  $("text").value = text;
  $("text").scrollTop = 0;
  $("text").setSelectionRange(0, 0);
  $("save").hidden = saved === null;
  tell("textDocument/didOpen", { textDocument: { uri, languageId: "song", version: 1, text } });
  closeFrame();
  listProblems();
  listVerdicts();
  paint();
  colour();
}

function changed() {
  open.version += 1;
  open.tokens = [];
  tell("textDocument/didChange", { textDocument: { uri: open.uri, version: open.version }, contentChanges: [{ text: $("text").value }] });
  paint();
  colour();
  $("save").disabled = open.saved === $("text").value;
}

// The meaning of words comes a moment after the text.
async function colour() {
  const { uri, version } = open;
  try {
    const { data } = await ask("textDocument/semanticTokens/full", { textDocument: { uri } });
    if (open.uri !== uri || open.version !== version) return;
    let line = 0, start = 0;
    open.tokens = [];
    for (let at = 0; at < data.length; at += 5) {
      if (data[at]) { line += data[at]; start = 0; }
      start += data[at + 1];
      open.tokens.push({ line, start, end: start + data[at + 2], cls: "t-" + legend[data[at + 3]] });
    }
    paint();
  } catch (error) { say(error.message); }
}

// Until then: comments, numbers and words that are always keywords.
const WORDS = /\/\/.*|\b\d+\b|\b(process|message|sort|enum|struct|var|let|const|on|send|receive|from|to|any|for|in|if|else|while|match|loop|action|async|init|property|always|finally|forall|exists|assert|assume|choose|true|false|none|some|where|choreography|fn)\b/g;
function lexical(text, line) {
  return [...text.matchAll(WORDS)].map((found) => ({ line, start: found.index, end: found.index + found[0].length,
    cls: found[0].startsWith("//") ? "t-comment" : /^\d/.test(found[0]) ? "t-number" : "t-keyword" }));
}

function paint() {
  const all = lines(), byLine = all.map(() => []);
  const tokens = open.tokens.length ? open.tokens : all.flatMap(lexical);
  for (const one of tokens) byLine[one.line]?.push(one);
  for (const { range, severity } of open.problems) {
    for (let line = range.start.line; line <= Math.min(range.end.line, all.length - 1, range.start.line + 20); line++) {
      const start = line === range.start.line ? range.start.character : 0;
      const end = line === range.end.line ? range.end.character : all[line].length;
      byLine[line]?.push({ line, start, end: Math.max(end, start + 1), cls: `wavy-${severity}` });
    }
  }
  $("paint").innerHTML = all.map((text, at) => painted(text, byLine[at])).join("\n") + "\n";
  const worst = ["refuted", "unknown", "running", "holds", "proved", "not-asked"];
  $("gutter").innerHTML = all.map((_, at) => {
    const marks = open.marks.filter((mark) => mark.range.start.line === at).map((mark) => mark.standing);
    const standing = worst.find((one) => marks.includes(one));
    return `<div><span class="${standing || ""}">${standing ? SIGNS[standing] : ""}</span><span>${at + 1}</span></div>`;
  }).join("");
  scrolled();
}

// A line as pieces, each in the classes of all that covers it.
function painted(text, covers) {
  if (!covers.length) return escape(text);
  const cuts = [...new Set([0, text.length, ...covers.flatMap((one) => [Math.min(one.start, text.length), Math.min(one.end, text.length)])])].sort((a, b) => a - b);
  let html = "";
  cuts.slice(0, -1).forEach((from, at) => {
    const cls = covers.filter((one) => one.start <= from && one.end >= cuts[at + 1]).map((one) => one.cls).join(" ");
    const piece = escape(text.slice(from, cuts[at + 1]));
    html += cls ? `<span class="${cls}">${piece}</span>` : piece;
  });
  return html;
}

function scrolled() {
  $("paint").scrollTop = $("text").scrollTop;
  $("paint").scrollLeft = $("text").scrollLeft;
  $("gutter").scrollTop = $("text").scrollTop;
}

const offsetOf = ({ line, character }) => lines().slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + character;
function positionOf(offset) {
  const before = $("text").value.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before[before.length - 1].length };
}

// Replaces a part, so that the browser's own undo takes it back.
function replace(start, end, text) {
  $("text").focus();
  $("text").setSelectionRange(start, end);
  if (!document.execCommand("insertText", false, text)) { $("text").setRangeText(text, start, end, "end"); changed(); }
}

function edit(edits) {
  const places = edits.map((one) => ({ start: offsetOf(one.range.start), end: offsetOf(one.range.end), text: one.newText }));
  for (const one of places.sort((a, b) => b.start - a.start)) replace(one.start, one.end, one.text);
}

function jump(position) {
  const at = offsetOf(position);
  $("text").focus();
  $("text").setSelectionRange(at, at);
  $("text").scrollTop = Math.max(0, (position.line - 6) * LINE);
}

function listProblems() {
  const all = open.problems.slice().sort((a, b) => a.severity - b.severity || a.range.start.line - b.range.start.line);
  $("problems").replaceChildren(...all.map((one) => {
    const item = document.createElement("li"), go = document.createElement("button");
    go.className = "go";
    go.innerHTML = `<span class="${SEVERITY[one.severity]}">${SEVERITY[one.severity]}</span> line ${one.range.start.line + 1}: ${prose(one.message)}`;
    go.addEventListener("click", () => jump(one.range.start));
    item.append(go);
    offerFixes(one, item);
    return item;
  }));
}

// What mends a mistake, as buttons beside it.
async function offerFixes(problem, item) {
  const { uri, version } = open;
  const actions = await ask("textDocument/codeAction", { textDocument: { uri }, range: problem.range, context: { diagnostics: [problem], only: ["quickfix"] } }).catch(() => []);
  if (open.version !== version || open.uri !== uri) return;
  for (const action of actions || []) {
    const edits = Object.values(action.edit?.changes || {}).flat();
    if (!edits.length) continue;
    const button = document.createElement("button");
    button.textContent = action.title;
    button.addEventListener("click", () => edit(edits));
    item.append(" ", button);
  }
}
