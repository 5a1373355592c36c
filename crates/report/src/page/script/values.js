// Values: short ones in a line, long ones folded, with only what changed unfolded.

// Longer values are folded.
const SHORT = 44;

// The parts of a value that is written as text, by one level; nothing for a word.
function partsOf(value) {
  const shapes = [[/^map \{(.*)\}$/s, " => "], [/^bag \{(.*)\}$/s], [/^\{(.*)\}$/s], [/^\[(.*)\]$/s], [/^\((.*)\)$/s], [/^[\w:]+ \{ (.*) \}$/s, ": "], [/^[\w:]+\((.*)\)$/s]];
  for (const [shape, between] of shapes) {
    const found = shape.exec(value);
    if (!found || !isBalanced(found[1])) continue;
    return found[1] === "" ? [] : splitAt(found[1], ", ").map((item) => {
      const pair = between ? splitAt(item, between) : [];
      return pair.length === 2 ? { name: pair[0], value: pair[1] } : { name: null, value: item };
    });
  }
  return null;
}

function depths(text) {
  let depth = 0;
  return [...text].map((c) => { depth += "([{".includes(c) ? 1 : ")]}".includes(c) ? -1 : 0; return depth; });
}
const isBalanced = (text) => { const all = depths(text); return all.every((depth) => depth >= 0) && (all.length === 0 || all[all.length - 1] === 0); };

function splitAt(text, separator) {
  const parts = [], characters = [...text], depth = depths(text);
  let part = "";
  for (let at = 0; at < characters.length; at++) {
    if (depth[at] === 0 && characters.slice(at, at + separator.length).join("") === separator) { parts.push(part); part = ""; at += separator.length - 1; }
    else part += characters[at];
  }
  return [...parts, part];
}

// A value as HTML; `place` names it among those that the reader has unfolded.
function folded(value, place) {
  const parts = value.length > SHORT ? partsOf(value) : null;
  if (!parts || !parts.length) return escape(value);
  const rows = parts.map((part, at) => `<div>${part.name === null ? "" : `<span class="part">${escape(part.name)}</span> `}${folded(part.value, `${place}/${part.name ?? at}`)}</div>`);
  const open = now.unfolded.has(place) ? " open" : "";
  return `<details data-place="${escape(place)}"${open}><summary>${escape(clip(value, 30))} <small>${parts.length} part${parts.length === 1 ? "" : "s"}</small></summary>${rows.join("")}</details>`;
}

function state(state, before, event) {
  const groups = new Map();
  for (const [variable, value] of state) {
    const owner = ownerOf(variable);
    if (!groups.has(owner)) groups.set(owner, []);
    groups.get(owner).push([variable, value]);
  }
  const chosenLane = run().laneNames[now.lane];
  const other = side() ? runs[1 - now.run].states[stepOf(1 - now.run)] : null;
  const owners = [...groups.keys()].sort((a, b) => (b === chosenLane) - (a === chosenLane));
  const rows = [];
  for (const owner of owners) {
    if (owner) rows.push(`<tr class="lane"><th colspan="2" scope="rowgroup">${escape(owner)}</th></tr>`);
    for (const [variable, value] of groups.get(owner)) rows.push(variableRow(variable, value, owner, before, event, other));
  }
  $("state").innerHTML = rows.join("") || '<tr><td class="open">no state variables</td></tr>';
  for (const button of $("state").querySelectorAll("button")) {
    button.addEventListener("click", () => firstChange(button.dataset.variable));
  }
  for (const fold of $("state").querySelectorAll("details")) {
    fold.addEventListener("toggle", () => { if (fold.open) now.unfolded.add(fold.dataset.place); else now.unfolded.delete(fold.dataset.place); });
  }
}

function variableRow(variable, value, owner, before, event, other) {
  const old = before ? before.get(variable) : undefined;
  const changed = before && old !== value;
  const name = owner ? variable.slice(owner.length + 1) : variable;
  const change = changed && event ? event.changes.find((one) => one.variable === variable) : undefined;
  const parts = change ? change.parts : [];
  const was = changed && old !== undefined && !parts.length ? `<del>${escape(clip(old, 200))}</del> ` : "";
  const inside = parts.map((part) => `<div class="change">${escape(part)}</div>`).join("");
  const there = other && other.get(variable) !== value ? `<div class="other">other side: ${escape(other.get(variable) || "-")}</div>` : "";
  return `<tr class="${changed ? "changed" : ""}" data-variable="${escape(variable)}"><td class="mono">${escape(name)} <button title="to its first change" aria-label="to the first change of ${escape(variable)}" data-variable="${escape(variable)}">\u21b1</button></td><td class="value mono">${inside}${was}${folded(value, variable)}${there}</td></tr>`;
}

function firstChange(variable) {
  const at = run().events.findIndex((event) => event.changes.some((change) => change.variable === variable));
  if (at >= 0) go({ step: at + 1 });
}
