// Moving through an execution: buttons, keys, the address.

// Where the two executions part, in each.
const parting = () => (story.race ? [story.race.event, story.race.instead] : story.compared ? story.compared.parting : [null, null]);
const raceHere = () => parting()[now.run];
const side = () => now.both && runs.length > 1;

// Where an execution stands when the chosen one is where it is.
function stepOf(which) {
  if (which === now.run) return now.step;
  const [here, there] = [parting()[now.run], parting()[which]];
  const same = here === null || there === null || now.step <= here;
  return Math.min(Math.max(same ? now.step : now.step - here + there, 0), runs[which].events.length);
}

function swap() {
  if (runs.length < 2) return;
  const other = 1 - now.run;
  go({ run: other, step: parting()[other] === null ? stepOf(other) : parting()[other] + 1 });
}

function go(where) {
  Object.assign(now, where);
  now.run = Math.min(Math.max(now.run, 0), runs.length - 1);
  now.step = Math.min(Math.max(now.step, 0), last());
  now.lane = Math.min(Math.max(now.lane, 0), run().laneNames.length - 1);
  const fragment = `#step=${now.step}&lane=${now.lane}` + (now.run ? `&run=${now.run}` : "")
    + (now.both === Boolean(story.compared) ? "" : `&both=${Number(now.both)}`) + (now.fit ? "&fit=1" : "") + (chosen ? `&story=${chosen}` : "");
  if (location.hash !== fragment && location.protocol !== "about:") history.replaceState(null, "", fragment);
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
  if (now.step === 0) document.querySelectorAll(".pane").forEach((pane) => pane.scrollTo(0, 0));
  document.querySelectorAll(".band.now").forEach(reveal);
}

// Scrolls the pane, and nothing around it, until the event and the lanes of its messages are seen.
function reveal(band) {
  const pane = band.closest(".pane"), there = band.getBoundingClientRect(), frame = pane.getBoundingClientRect();
  const above = pane.querySelector(".names").getBoundingClientRect().bottom - there.top, below = there.bottom - frame.bottom;
  if (above > 0) pane.scrollTop -= above;
  else if (below > 0) pane.scrollTop += below;
  const event = pane.querySelector(".event.now");
  if (!event) return;
  // The event itself last: if not all fits, it is what is seen.
  for (const node of [...pane.querySelectorAll(".note.now"), event]) {
    const box = node.getBoundingClientRect(), edge = Math.min(48, frame.width / 8);
    const left = frame.left + edge - box.left, right = box.right - (frame.left + pane.clientWidth - edge);
    if (left > 0) pane.scrollLeft -= left;
    else if (right > 0) pane.scrollLeft += right;
  }
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
  now.fit = Boolean(number("fit", 0));
  now.run = Math.min(number("run", 0), runs.length - 1);
  const end = runs[now.run].events.length;
  const at = number("step", end);
  go({ step: at, lane: number("lane", at > 0 && end ? runs[now.run].events[Math.min(at, end) - 1].place : 0) });
}

function compare() {
  if (runs.length > 1) go({ both: !now.both });
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

const KEYS = {
  ArrowRight: () => step(1), ArrowDown: () => step(1), ArrowLeft: () => step(-1), ArrowUp: () => step(-1),
  Home: () => go({ step: 0 }), End: () => go({ step: last() }),
  "]": () => go({ lane: now.lane + 1 }), "[": () => go({ lane: now.lane - 1 }),
  s: swap, c: compare, d: theme, f: () => go({ fit: !now.fit }),
};
const SHIFTED = { ArrowRight: () => along(1), ArrowDown: () => along(1), ArrowLeft: () => along(-1), ArrowUp: () => along(-1) };

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // Where somebody types, letters are letters.
    if (event.target instanceof Element && event.target.matches("input[type=search], textarea")) return;
    if (!event.shiftKey && chooseByKey(event.key)) { event.preventDefault(); return; }
    const act = event.shiftKey ? SHIFTED[event.key] : KEYS[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  $("first").addEventListener("click", () => go({ step: 0 }));
  $("back").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("last").addEventListener("click", () => go({ step: last() }));
  $("swap").addEventListener("click", swap);
  $("both").addEventListener("click", compare);
  $("fit").addEventListener("click", () => go({ fit: !now.fit }));
  $("more").addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("filters");
    $("more").setAttribute("aria-expanded", String(isOpen));
  });
  addEventListener("resize", () => show());
  addEventListener("hashchange", fromAddress);
}
