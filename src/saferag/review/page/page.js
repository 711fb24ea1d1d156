// What review and labelling share: who you are, the language, the queue, keys, requests. Text goes in as text only.
import { TEXTS } from "/texts.js";
import * as review from "/review.js";
import * as label from "/label.js";

const token = new URLSearchParams(location.search).get("token") || "";
const stored = (name, otherwise) => { try { return localStorage.getItem(name) || otherwise; } catch { return otherwise; } };
const store = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a private window keeps nothing */ } };

export const state = { lang: stored("saferag-lang", navigator.language.startsWith("zh") ? "zh" : "en"), queue: [], key: "", item: null };
let desk = review;

export const $ = (id) => document.getElementById(id);
export const say = (name, ...values) => values.reduce((text, value, i) => text.replace(`{${i}}`, value), TEXTS[state.lang][name] ?? name);
export const who = () => $("who").value.trim();

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export class Refused extends Error {
  constructor(status, body) { super(body.error || String(status)); this.status = status; this.body = body; }
}

export async function ask(path, data) {
  const options = { headers: { "X-Token": token }, cache: "no-store" };
  if (data) Object.assign(options, { method: "POST", body: JSON.stringify({ who: who(), ...data }) });
  const reply = await fetch(path, options);
  const body = await reply.json();
  if (!reply.ok) throw new Refused(reply.status, body);
  return body;
}

const itemPath = (key, action = "") => `/api/items/${encodeURIComponent(key)}${action}`;

export async function act(action, data, key = state.key) {
  if (!who()) { notice(say("who")); $("who").focus(); throw new Refused(0, { error: say("who") }); }
  notice(say("saving"));
  try {
    const shown = await ask(itemPath(key, `/${action}`), data);
    notice(say("saved"));
    if (key === state.key) state.item = shown;
    return shown;
  } catch (error) {
    notice(say("failed", error.message));
    throw error;
  }
}

export function notice(text) { $("saved").textContent = text; }

export async function loadQueue() {
  const found = await ask(`/api/queue?who=${encodeURIComponent(who())}`);
  desk = found.mode === "label" ? label : review;
  const places = new Map(state.queue.map((line, i) => [line.id, i])); // what is decided stays where it was
  const place = (line) => places.get(line.id) ?? places.size;
  state.queue = found.items.sort((one, other) => place(one) - place(other));
  drawQueue();
}

let opening = "";

export async function open(key) {
  if (key === state.key || key === opening) return; // a second click must not disturb an edit that the first let begin
  opening = key;
  try {
    await desk.leave();
    const item = await ask(`${itemPath(key)}?who=${encodeURIComponent(who())}`);
    if (opening !== key) return; // another one was asked for in the meantime
    Object.assign(state, { item, key });
  } finally { if (opening === key) opening = ""; }
  $("conflict").hidden = true;
  draw();
  $("item").scrollTop = 0;
  $("item").focus({ preventScroll: true });
}

export async function step(by) {
  const place = state.queue.findIndex((line) => line.id === state.key);
  const next = state.queue[place + by];
  if (next) await open(next.id);
}

export function draw() {
  document.documentElement.lang = state.lang;
  for (const place of document.querySelectorAll("[data-text]")) place.textContent = say(place.dataset.text);
  $("lang").textContent = say("other");
  drawQueue();
  if (state.item) $("item").replaceChildren(...desk.draw(state.item));
}

function drawQueue() {
  const done = state.queue.filter(desk.isDone).length;
  $("progress").textContent = say("done", done, state.queue.length);
  $("queue").replaceChildren(...state.queue.map((line) => element(
    "button", { type: "button", "aria-current": String(line.id === state.key), onclick: () => guarded(() => open(line.id)) },
    ...desk.tags(line), line.title)));
  $("queue").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
}

function showKeys() {
  const shut = element("button", { type: "button", onclick: () => $("keys").close() }, say("close"));
  $("keys").replaceChildren(element("p", {}, say(desk.HELP)), shut);
  $("keys").showModal();
}

export async function guarded(work) {
  try { await work(); } catch (error) { if (!(error instanceof Refused)) throw error; notice(say("failed", error.message)); }
}

function switchLanguage() {
  state.lang = state.lang === "zh" ? "en" : "zh";
  store("saferag-lang", state.lang);
  draw();
}

document.addEventListener("keydown", (event) => {
  const typing = ["INPUT", "TEXTAREA"].includes(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("keys").open) return;
  if (typing) { if (event.key === "Escape") event.target.blur(); return; }
  const common = { j: () => step(1), k: () => step(-1), l: switchLanguage, "?": showKeys };
  const work = common[event.key] || desk.keys[event.key];
  if (!work || (event.key === "Enter" && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  guarded(work);
});
$("lang").addEventListener("click", switchLanguage);
$("help").addEventListener("click", showKeys);
$("who").value = stored("saferag-who", "");
$("who").addEventListener("change", () => { store("saferag-who", who()); guarded(loadQueue); });
addEventListener("beforeunload", (event) => { if (desk.unsaved()) event.preventDefault(); });

guarded(async () => { await loadQueue(); draw(); if (state.queue.length) await open(state.queue[0].id); });
