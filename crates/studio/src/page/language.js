// Talking with the language server: requests, notifications, and what it says by itself.

const $ = (id) => document.getElementById(id);
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const prose = (text) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");
const token = new URLSearchParams(location.search).get("token") || "";
const waiting = new Map(), hearers = new Map();
let session = "", asked = 0, legend = [];

async function call(method, path, body) {
  const answer = await fetch(path, { method, body, headers: { "x-plainsong-token": token } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

function say(text) { $("status").textContent = text; }

// Messages leave in the order in which they are said.
let sending = Promise.resolve();
function post(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  sending = sending.then(() => call("POST", `/tell?session=${session}`, body)).catch((error) => say(error.message));
}
const tell = (method, params) => post({ method, params });
function ask(method, params) {
  const id = ++asked;
  post({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
const hear = (method, hearer) => hearers.set(method, hearer);

function heard(message) {
  if (message.method && message.id !== undefined) { post({ id: message.id, result: null }); return; }
  if (message.method) { hearers.get(message.method)?.(message.params); return; }
  const asker = waiting.get(message.id);
  waiting.delete(message.id);
  if (!asker) return;
  if (message.error) asker.reject(new Error(message.error.message)); else asker.resolve(message.result);
}

async function listen() {
  for (let after = 0, ended = false; !ended;) {
    try {
      const news = await (await call("GET", `/news?session=${session}&after=${after}`)).json();
      after = news.last;
      ended = news.ended;
      news.said.forEach(heard);
    } catch (error) {
      say(`the studio does not answer: ${error.message}`);
      await new Promise((later) => setTimeout(later, 2000));
    }
  }
}

async function begin() {
  session = await (await call("POST", "/session", "")).text();
  listen();
  const options = { check: "save", timeout: 20, pages: true, marks: true };
  const { capabilities } = await ask("initialize", { capabilities: { general: { positionEncodings: ["utf-16"] } }, initializationOptions: options });
  legend = capabilities.semanticTokensProvider.legend.tokenTypes;
  tell("initialized", {});
}
