// Stepping: what could happen in the state at hand, and choosing it where somebody answers for it.

// Who answers: the page around this one, if there is one.
const host = window.parent !== window ? window.parent : null;

// What could happen where the reader stands. In the execution that is compared with, nothing is chosen.
function choicesHere() {
  const { stepping } = story;
  return stepping && now.run === 0 ? stepping.choices[now.step] || [] : [];
}

function choices() {
  $("stepping").hidden = !story.stepping || now.run !== 0;
  if (!story.stepping) return;
  const all = choicesHere(), taken = story.stepping.path[now.step];
  $("nexttitle").textContent = taken === undefined ? "What can happen next" : "What could happen here";
  $("choices").replaceChildren(...all.map((one, at) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.innerHTML = (at < 9 ? `<kbd>${at + 1}</kbd>` : "") + prose(one.words);
    button.setAttribute("aria-current", String(one.position === taken));
    button.disabled = !host && one.position !== taken;
    button.addEventListener("click", () => choose(one));
    item.append(button);
    return item;
  }));
  if (!all.length) $("choices").innerHTML = '<li class="open">nothing</li>';
}

// One step on; from an earlier state, that is another branch.
function choose(one) {
  const { path } = story.stepping;
  if (path[now.step] === one.position) { step(1); return; }
  if (host) host.postMessage({ plainsong: "step", path: [...path.slice(0, now.step), one.position] }, "*");
}

function chooseByKey(key) {
  const one = story && story.stepping && /^[1-9]$/.test(key) ? choicesHere()[Number(key) - 1] : undefined;
  if (one) choose(one);
  return Boolean(one);
}

// The answer: the execution with one more event, shown from its end.
function listenToHost() {
  if (!host) return;
  addEventListener("message", (message) => {
    if (message.source !== host || !message.data || message.data.plainsong !== "book") return;
    ({ book } = message.data);
    chosen = 0;
    story = book.stories[0];
    runs = story.runs.map(prepare);
    now.both = now.both && runs.length > 1;
    const end = runs[0].events.length;
    go({ run: 0, step: end, lane: end ? runs[0].events[end - 1].place : 0 });
  });
}
