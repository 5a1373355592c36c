// What is told in words: the event at hand, the properties, the source, the heading.

function panels() {
  const { events, states, ending } = run();
  const event = now.step > 0 ? events[now.step - 1] : null;
  const atEnd = now.step === events.length;
  $("count").textContent = now.step === 0 ? `start, before ${events.length} events` : `event ${now.step} of ${events.length}`;
  $("first").disabled = $("back").disabled = now.step === 0;
  $("next").disabled = $("last").disabled = atEnd;
  $("what").innerHTML = whatHappens(event, atEnd);
  $("what").className = atEnd && ending.bad ? "bad" : "";
  properties();
  choices();
  state(states[now.step], now.step > 0 ? states[now.step - 1] : null, event);
  source(event ? event.line : null, atEnd ? ending.line : null);
  say(event, atEnd);
}

function whatHappens(event, atEnd) {
  const { ending, truths } = run();
  const isFinal = isJudgedAtTheEnd(ending, truths);
  let what = event ? describe(event) : "before the first event";
  if (event && event.choices.length) what += `<br><span class="kind">choosing</span> <code>${event.choices.map(escape).join(", ")}</code>`;
  // An action that leaves itself again says nothing by that.
  const sends = event ? event.sends.filter((s) => s.to !== null || s.label !== event.label) : [];
  if (event && event.kind !== "send" && sends.length) {
    what += `<br><span class="kind">and ${sends[0].to === null ? "leaves" : "sends"}</span> ` + sends.map((s) => `<code>${escape(s.label)}</code>`
      + (s.to === null ? "" : " to " + escape(nameOf(s.to)))).join(", ");
  }
  if (!atEnd) return what;
  what += `<br><span class="${ending.bad ? "bad" : "kind"}">${prose(ending.reason)}</span>`;
  const rest = ending.waiting.map((w) => `${w.lane === null ? "" : "<b>" + escape(nameOf(w.lane)) + "</b> waits for "}<code>${escape(w.what)}</code> (line ${w.line})`)
    .concat(ending.undelivered.filter((s) => s.to !== null || ending.verdict === "cut off").map((s) => `<code>${escape(s.label)}</code> ${isFinal || ending.waiting.length ? "was never received" : "is still in flight"}` + (s.to === null ? "" : isFinal || ending.waiting.length ? ` by ${escape(nameOf(s.to))}` : ` to ${escape(nameOf(s.to))}`)));
  if (rest.length) what += `<ul>${rest.map((r) => `<li>${r}</li>`).join("")}</ul>`;
  return what;
}

const isJudgedAtTheEnd = (ending, truths) => ending.verdict === "fine" || truths.some((t) => t.atTheEnd && t.property === story.property);

// What a property is worth here: true, false, or nothing while it is not judged.
function worthHere(truth) {
  const { events, ending, truths } = run();
  const value = truth.holds[now.step];
  const judged = !truth.atTheEnd || (now.step === events.length && isJudgedAtTheEnd(ending, truths));
  return judged && value !== null ? value : null;
}

function properties() {
  $("properties").innerHTML = run().truths.map((t) => {
    const worth = worthHere(t);
    const [cls, sign, word] = worth === null ? ["open", "\u00b7", "not judged here"] : worth ? ["yes", "\u2713", "holds here"] : ["no", "\u2717", "is false here"];
    return `<li class="${cls}" title="${t.atTheEnd ? "judged at the end" : "judged in every state"}"><span aria-hidden="true">${sign}</span> ${escape(t.property)}<span class="unseen"> ${word}</span>${t.atTheEnd ? " <small>(at the end)</small>" : ""}</li>`;
  }).join("") || '<li class="open">' + prose(story.note || "none about single states") + "</li>";
}

// For those who hear the page: the event, what it changed, and what is false then.
function say(event, atEnd) {
  const { ending, truths } = run();
  const changes = event ? changesOf(event) : "";
  const wrong = truths.filter((t) => worthHere(t) === false).map((t) => `${t.property} is false`);
  const parts = [$("count").textContent, event ? inWords(describe(event)) : "", changes, ...wrong, atEnd ? ending.reason : ""];
  const text = parts.filter(Boolean).join("; ");
  if ($("said").textContent !== text) $("said").textContent = text;
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
  $("reason").innerHTML = prose(ending.reason);
  $("tool").textContent = story.tool;
  $("race").hidden = !story.race && !story.compared;
  $("both").textContent = now.both ? "one at a time" : "side by side";
  $("fit").setAttribute("aria-pressed", String(now.fit));
  if (story.compared) {
    $("racetext").innerHTML = prose(story.compared.same ? "every process does the same in both"
      : story.compared.sentence ? `first difference: ${story.compared.sentence}` : "every process does the same in both; they are only judged differently");
    $("swap").textContent = "\u21c4 the other side";
  }
  if (story.race) {
    $("racetext").innerHTML = prose(`${story.race.word}: ${story.race.sentence}`);
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
