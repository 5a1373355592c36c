// Every verdict of the run: what is refuted first, with a filter where there are many.

// Sign, class and rank of each verdict; `proved` and `holds` differ in sign and colour.
const VERDICTS = { REFUTED: ["\u2717", "no", 0], unknown: ["?", "unknown", 1], holds: ["\u2264", "bounded", 2], proved: ["\u2713", "yes", 3] };
// A filter is of use from so many verdicts on.
const MANY = 8;
const wanted = { words: "", verdicts: new Set(Object.keys(VERDICTS)) };

function verdicts() {
  const all = book.files.flatMap((file) => file.verdicts);
  $("filter").hidden = all.length < MANY;
  $("which").innerHTML = Object.entries(VERDICTS).map(([verdict, [sign, cls]]) => {
    const count = all.filter((one) => one.verdict === verdict).length;
    return count ? `<button class="${cls}" data-verdict="${verdict}" aria-pressed="true">${sign} ${count} ${verdict}</button>` : "";
  }).join("");
  for (const button of $("which").querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const { verdict } = button.dataset;
      if (!wanted.verdicts.delete(verdict)) wanted.verdicts.add(verdict);
      button.setAttribute("aria-pressed", String(wanted.verdicts.has(verdict)));
      listVerdicts();
    });
  }
  $("words").addEventListener("input", () => { wanted.words = $("words").value.toLowerCase(); listVerdicts(); });
  listVerdicts();
}

const rank = (one) => VERDICTS[one.verdict][2];
const worst = (file) => Math.min(9, ...file.verdicts.map(rank));

function listVerdicts() {
  const common = commonFolder(book.files.map((file) => file.file));
  const isWanted = (file) => (one) => wanted.verdicts.has(one.verdict) && `${file.file} ${one.property} ${one.verdict}`.toLowerCase().includes(wanted.words);
  const parts = book.files.slice().sort((a, b) => worst(a) - worst(b)).map((file) => {
    const rows = file.verdicts.filter(isWanted(file)).sort((a, b) => rank(a) - rank(b)).map(verdictRow);
    const covered = (file.coverage || []).map((one) => `<li>${escape(one)}</li>`).join("");
    if (!rows.length && (wanted.words || wanted.verdicts.size < 4)) return "";
    const coverage = covered ? `<details class="covered"><summary>Covered: ${escape(file.coverage[0])}</summary><ul>${covered}</ul></details>` : "";
    return `<h2 title="${escape(file.file)}">${escape(file.file.slice(common.length))}</h2><ul>${rows.join("")}</ul>${coverage}`;
  });
  $("verdicts").innerHTML = parts.join("") || (book.files.length ? '<p class="open">no verdict matches</p>' : "");
  for (const button of $("verdicts").querySelectorAll("button")) {
    button.addEventListener("click", () => { location.hash = `#story=${button.dataset.story}`; });
  }
}

function verdictRow(one) {
  const [sign, cls] = VERDICTS[one.verdict];
  const name = one.story === null ? escape(one.property) : `<button data-story="${one.story}" title="show the execution">${escape(one.property)}</button>`;
  const here = one.story !== null && one.story === chosen ? " chosen" : "";
  const more = [one.bound, one.engine, one.detail, ...one.notes].filter(Boolean).map(escape).join(" \u00b7 ");
  return `<li class="${cls}${here}" title="${more}"><span class="sign">${sign}</span> ${one.verdict} ${name}<small>${escape(one.bound)}, ${escape(one.engine)}</small></li>`;
}

// The folders that all files have in common.
function commonFolder(files) {
  if (files.length < 2) return "";
  const [first, ...others] = files.map((file) => file.split("/").slice(0, -1));
  let depth = 0;
  while (depth < first.length && others.every((other) => other[depth] === first[depth])) depth += 1;
  return first.slice(0, depth).map((folder) => folder + "/").join("");
}

// A run that refutes nothing by an execution.
function nothing() {
  const all = book.files.flatMap((file) => file.verdicts);
  const open = all.filter((one) => one.verdict === "unknown");
  const refuted = all.filter((one) => one.verdict === "REFUTED");
  const [badge, cls] = refuted.length ? ["refuted", "badge"] : open.length ? ["unknown", "badge other"] : ["fine", "badge fine"];
  $("badge").textContent = badge;
  $("badge").className = cls;
  $("property").textContent = book.files.map((file) => file.file).join(", ");
  const sentence = refuted.length ? "What is refuted is no execution of processes: it is told in words." : "Nothing was refuted: there is no execution to show. The verdicts are at the left.";
  const told = [...refuted, ...open].map((one) => {
    const said = one.notes.some((note) => note.startsWith(one.detail));
    const words = [said ? "" : one.detail, ...one.notes].filter(Boolean).map((text) => `<p>${prose(text)}</p>`).join("");
    return `<section class="told"><h2>${one.verdict} ${escape(one.property)}</h2>${words}</section>`;
  });
  $("picture").innerHTML = `<p class="empty">${sentence}</p>` + told.join("");
  $("picture").removeAttribute("role");
  $("tool").textContent = book.tool || "";
  $("right").hidden = true;
  $("fit").hidden = true;
  document.body.dataset.empty = 1;
  addEventListener("hashchange", () => location.reload());
}
