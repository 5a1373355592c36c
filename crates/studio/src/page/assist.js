// Help while writing: completion (Ctrl+Space), what a word means (resting the mouse), where it is defined (F12).

let offers = [], offered = 0, offerStart = 0;

function place(node, position) {
  const x = 58 + PAD_X + position.character * character - $("text").scrollLeft;
  const y = PAD_Y + (position.line + 1) * LINE - $("text").scrollTop;
  node.hidden = false;
  const most = $("editor").clientHeight - node.offsetHeight;
  node.style.left = Math.max(0, Math.min(x, $("editor").clientWidth - node.offsetWidth - 8)) + "px";
  node.style.top = Math.max(0, y > most ? y - LINE - node.offsetHeight : y) + "px";
}

async function complete() {
  const at = $("text").selectionStart, position = positionOf(at);
  const answer = await ask("textDocument/completion", { textDocument: { uri: open.uri }, position }).catch(() => null);
  const word = /[\w]*$/.exec($("text").value.slice(0, at))[0];
  offerStart = at - word.length;
  const items = (answer?.items || answer || []).filter((one) => one.label.toLowerCase().startsWith(word.toLowerCase()));
  offers = items.slice(0, 60);
  offered = 0;
  if (!offers.length) { closeOffers(); return; }
  showOffers();
  place($("offers"), positionOf(offerStart));
}

function showOffers() {
  $("offers").innerHTML = offers.map((one, at) => `<li role="option" aria-selected="${at === offered}" data-at="${at}">${escape(one.label)}<small>${escape(one.detail || "")}</small></li>`).join("");
  for (const item of $("offers").children) item.addEventListener("mousedown", (event) => { event.preventDefault(); take(Number(item.dataset.at)); });
  $("offers").children[offered]?.scrollIntoView({ block: "nearest" });
}

function closeOffers() { offers = []; $("offers").hidden = true; }

// Snippets without their places to fill.
function take(at) {
  const one = offers[at], end = $("text").selectionStart;
  closeOffers();
  const text = one.textEdit?.newText || one.insertText || one.label;
  replace(offerStart, end, one.insertTextFormat === 2 ? text.replace(/\$\{\d+:([^}]*)\}|\$\d+|\$\{\d+\}/g, "$1") : text);
}

const OFFER_KEYS = {
  ArrowDown: () => { offered = (offered + 1) % offers.length; showOffers(); },
  ArrowUp: () => { offered = (offered + offers.length - 1) % offers.length; showOffers(); },
  Enter: () => take(offered), Tab: () => take(offered), Escape: closeOffers,
};

function keyed(event) {
  if (offers.length && OFFER_KEYS[event.key]) { event.preventDefault(); OFFER_KEYS[event.key](); return; }
  if (event.key === " " && event.ctrlKey) { event.preventDefault(); complete(); return; }
  if (event.key === "F12") { event.preventDefault(); define(); return; }
  if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); save(); return; }
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); check(); return; }
  const { selectionStart: start, selectionEnd: end, value } = $("text");
  if (event.key === "Tab" && !event.shiftKey && !escaped) { event.preventDefault(); replace(start, end, "    "); }
  if (event.key === "Enter" && !event.ctrlKey) {
    const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
    event.preventDefault();
    replace(start, end, "\n" + /^ */.exec(line)[0] + (line.trimEnd().endsWith("{") ? "    " : ""));
  }
  // Escape, then Tab leaves the editor: nobody is caught in it.
  escaped = event.key === "Escape";
}
let escaped = false;

async function define() {
  const found = await ask("textDocument/definition", { textDocument: { uri: open.uri }, position: positionOf($("text").selectionStart) }).catch(() => []);
  if (found?.length) jump(found[0].range.start);
}

let resting = 0;
function rested(event) {
  clearTimeout(resting);
  $("tip").hidden = true;
  const frame = $("text").getBoundingClientRect();
  const position = { line: Math.floor((event.clientY - frame.top - PAD_Y + $("text").scrollTop) / LINE), character: Math.floor((event.clientX - frame.left - PAD_X + $("text").scrollLeft) / character) };
  resting = setTimeout(async () => {
    const text = lines()[position.line];
    if (text === undefined || position.character < 0 || position.character >= text.length) return;
    const hover = await ask("textDocument/hover", { textDocument: { uri: open.uri }, position }).catch(() => null);
    const told = hover?.contents?.value ?? "";
    if (!told) return;
    $("tip").innerHTML = prose(told.replace(/^```\w*\n?|```$/gm, "").replace(/\*\*/g, "").trim());
    place($("tip"), position);
  }, 350);
}
