// Verdicts, and the frame in which executions are shown and stepped through.

const SIGNS = { "not-asked": "\u25cb", running: "\u2026", proved: "\u2713", holds: "\u2264", refuted: "\u2717", unknown: "?" };
// What the frame shows: a page as a file, and, while stepping, what the steps are taken from.
const shown = { html: "", name: "", stepping: null };
let began = 0;

function command(name, property) {
  return ask("workspace/executeCommand", { command: `plainsong.${name}`, arguments: property ? [open.uri, property] : [open.uri] }).catch((error) => say(error.message));
}

function check() {
  if (open.problems.some((one) => one.severity === 1 && one.code !== "refuted")) { say("mend the mistakes first"); return; }
  command(isRunning() ? "cancel" : "check");
}

const isRunning = () => open.marks.some((mark) => mark.standing === "running");

function listVerdicts() {
  if (isRunning() && !began) { began = performance.now(); tick(); }
  $("check").textContent = isRunning() ? "stop" : "check everything";
  $("verdicts").replaceChildren(...open.marks.map((mark) => {
    const item = document.createElement("li");
    item.className = mark.stale ? "stale" : "";
    item.innerHTML = `<span class="${mark.standing}">${SIGNS[mark.standing]}</span><span class="title ${mark.standing}">${prose(mark.title)}</span>`;
    const button = (text, act) => {
      const one = document.createElement("button");
      one.textContent = text;
      one.setAttribute("aria-label", `${text}: ${mark.property}`);
      one.addEventListener("click", act);
      item.append(one);
    };
    if (mark.standing === "not-asked") button("check", () => command("check", mark.property));
    if (["holds", "unknown"].includes(mark.standing)) button("prove for any size", () => command("prove", mark.property));
    if (mark.standing === "refuted" && !mark.stale) {
      button("show", () => command("show", mark.property));
      button("step", () => walk(mark.property));
    }
    return item;
  }));
}

// How long the question has taken so far.
function tick() {
  const seconds = Math.floor((performance.now() - began) / 1000);
  if (isRunning()) { say(`checking \u2026 ${seconds} s`); setTimeout(tick, 250); return; }
  const count = (standing) => open.marks.filter((mark) => mark.standing === standing).length;
  const told = ["refuted", "unknown", "holds", "proved"].map((one) => [count(one), one]).filter(([number]) => number);
  say(told.map(([number, one]) => `${number} ${one}`).join(", "));
  began = 0;
}

function show(html, name) {
  Object.assign(shown, { html, name });
  $("showing").textContent = name;
  $("shown").hidden = false;
  $("hint").hidden = true;
  $("frame").srcdoc = html;
}

function closeFrame() {
  Object.assign(shown, { html: "", stepping: null });
  $("shown").hidden = true;
  $("hint").hidden = false;
  $("frame").srcdoc = "";
}

function sizes() {
  const pairs = $("sizes").value.split(/[\s,]+/).filter(Boolean).map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([name, size]) => [name, parseInt(size, 10)]).filter(([, size]) => !Number.isNaN(size)));
}

// Steps through the song, or from the start of the execution that refutes a property.
async function walk(refuting) {
  const stepping = { textDocument: { uri: open.uri }, sizes: sizes(), ...(refuting ? { refuting } : {}) };
  try {
    const { html } = await ask("plainsong/step", { ...stepping, html: true });
    shown.stepping = stepping;
    show(html, refuting ? `stepping beside the execution that refutes ${refuting}` : `stepping through ${open.name}`);
  } catch (error) { say(error.message); }
}

// The page in the frame asks for a step; only it is listened to.
async function stepped(message) {
  if (message.source !== $("frame").contentWindow || message.data?.plainsong !== "step" || !shown.stepping) return;
  const path = message.data.path.map(Number);
  try {
    const { book, html } = await ask("plainsong/step", { ...shown.stepping, path, html: true });
    shown.html = html;
    $("frame").contentWindow.postMessage({ plainsong: "book", book }, "*");
  } catch (error) { say(error.message); }
}

function keep() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([shown.html], { type: "text/html" }));
  link.download = `${open.name.replace(/\W+/g, "-")}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
