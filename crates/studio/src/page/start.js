// The beginning: which song, and who does what.

async function listSongs() {
  const { examples, folder } = await (await call("GET", "/songs")).json();
  const group = (label, names, kind) => (names && names.length
    ? `<optgroup label="${label}">${names.map((name) => `<option value="${kind}:${escape(name)}">${escape(name)}</option>`).join("")}</optgroup>` : "");
  $("songs").innerHTML = group("this folder", folder, "song") + group("examples", examples, "example");
}

async function pick() {
  const [kind, ...rest] = $("songs").value.split(":"), name = rest.join(":"), query = encodeURIComponent(name);
  try {
    if (kind === "song") {
      const { text, path } = await (await call("GET", `/song?name=${query}`)).json();
      openText("file://" + path.split("/").map(encodeURIComponent).join("/"), name, text, text);
    } else {
      openText(`studio:${query}`, name, await (await call("GET", `/example?name=${query}`)).text(), null);
    }
  } catch (error) { say(error.message); }
}

async function save() {
  if (open.saved === null) return;
  const text = $("text").value;
  try {
    await call("POST", `/song?name=${encodeURIComponent(open.name)}`, text);
    open.saved = text;
    $("save").disabled = true;
    tell("textDocument/didSave", { textDocument: { uri: open.uri } });
  } catch (error) { say(error.message); }
}

async function format() {
  const edits = await ask("textDocument/formatting", { textDocument: { uri: open.uri }, options: { tabSize: 4, insertSpaces: true } }).catch(() => null);
  if (edits) edit(edits); else say("mend the mistakes first");
}

// The text travels in the part of the address that no server sees.
async function share() {
  const bytes = new TextEncoder().encode($("text").value);
  const code = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  location.hash = `song=${code}`;
  await navigator.clipboard?.writeText(location.href).then(() => say("the link is in the clipboard"), () => say("the link is in the address"));
}
function shared() {
  const code = new URLSearchParams(location.hash.slice(1)).get("song");
  if (!code) return null;
  try { return new TextDecoder().decode(Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0))); } catch { return null; }
}

hear("textDocument/publishDiagnostics", ({ uri, diagnostics, version }) => {
  if (uri !== open.uri || (version !== undefined && version !== open.version)) return;
  open.problems = diagnostics;
  listProblems();
  paint();
});
hear("plainsong/verdicts", ({ uri, verdicts }) => {
  if (uri !== open.uri) return;
  open.marks = verdicts;
  listVerdicts();
  paint();
});
hear("plainsong/page", ({ property, html }) => { shown.stepping = null; show(html, `the execution that refutes ${property}`); });
hear("window/showMessage", ({ message }) => say(message));

$("text").addEventListener("input", () => { closeOffers(); changed(); });
$("text").addEventListener("scroll", scrolled);
$("text").addEventListener("keydown", keyed);
$("text").addEventListener("mousemove", rested);
$("text").addEventListener("mouseleave", () => clearTimeout(resting));
$("text").addEventListener("blur", closeOffers);
$("songs").addEventListener("change", pick);
for (const [id, act] of Object.entries({ save, format, check, share, keep, close: closeFrame, walk: () => walk() })) $(id).addEventListener("click", act);
addEventListener("message", stepped);

(async () => {
  measure();
  try {
    await begin();
    await listSongs();
    const text = shared();
    if (text === null) await pick(); else openText("studio:shared.song", "shared.song", text, null);
  } catch (error) { say(error.message); }
})();
