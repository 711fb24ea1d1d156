// Cases: texts that are edited in place and saved by themselves, decisions, history.
import { $, act, ask, draw as redraw, element, guarded, loadQueue, notice, Refused, say, state, step } from "/page.js";

export const HELP = "help_review";
export const isDone = (line) => line.status !== "open";
export const tags = (line) => [
  element("span", { class: `tag ${line.status}` }, say(line.status)),
  line.findings ? element("span", { class: "tag problem" }, `! ${line.findings}`) : null,
];

let editing = null; // { field, old, box, timer, saving }
export const unsaved = () => editing !== null && editing.box.value !== editing.old;
export const leave = async () => { await finish(); };

export const keys = {
  a: () => decide("accepted"), r: () => decide("rejected"), o: () => decide("open"), b: sendBack, u: undo,
  Enter: () => document.activeElement?.classList.contains("text") && document.activeElement.click(),
};

async function decide(status, note = "") {
  await finish();
  await orConflict(() => act("decide", { version: state.item.version, status, note }));
  await loadQueue();
  redraw();
  if (status !== "open" && $("conflict").hidden) await step(1);
}

async function undo() {
  await finish();
  await orConflict(() => act("undo", { version: state.item.version }));
  await loadQueue();
  redraw();
}

function sendBack() {
  const box = element("textarea", { id: "note", "aria-label": say("note") });
  const send = element("button", { type: "button", id: "send", onclick: () => guarded(() => decide("returned", box.value)) }, say("return"));
  $("item").prepend(element("div", {}, element("p", {}, say("note")), box, send));
  box.focus();
}

async function orConflict(work) {
  try { await work(); } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
    const show = element("button", { type: "button", onclick: () => guarded(reload) }, say("reload"));
    $("conflict").replaceChildren(element("p", {}, say("conflict", error.body.who)), show);
    $("conflict").hidden = false;
  }
}

async function reload() {
  state.item = await ask(`/api/items/${encodeURIComponent(state.key)}`);
  $("conflict").hidden = true;
  redraw();
}

function edit(item, place) {
  const box = element("textarea", { "aria-label": item.field, "data-field": item.field });
  box.value = item.text;
  editing = { field: item.field, key: state.key, old: item.text, box, timer: 0, saving: null };
  box.addEventListener("input", () => { clearTimeout(editing?.timer); if (editing) editing.timer = setTimeout(() => guarded(save), 800); });
  box.addEventListener("blur", () => guarded(finish));
  place.replaceWith(box);
  box.focus();
}

async function save() {
  const mine = editing;
  if (!mine || mine.box.value === mine.old) return;
  if (mine.saving) await mine.saving.catch(() => undefined);
  const text = mine.box.value;
  mine.saving = act("edit", { field: mine.field, old: mine.old, new: text }, mine.key);
  try { await mine.saving; mine.old = text; } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
    await clash(mine, text, error.body.who);
  } finally { mine.saving = null; }
}

async function finish() {
  if (!editing) return;
  clearTimeout(editing.timer);
  await save();
  if (!$("conflict").hidden) return;
  editing = null;
  redraw();
  guarded(loadQueue);
}

async function clash(mine, text, by) {
  state.item = await ask(`/api/items/${encodeURIComponent(mine.key)}`);
  const theirs = state.item.sections.flatMap((s) => s.items).find((i) => i.field === mine.field);
  const close = () => { $("conflict").hidden = true; editing = null; redraw(); };
  const keep = async () => { await act("edit", { field: mine.field, old: theirs.text, new: text }, mine.key); close(); guarded(loadQueue); };
  $("conflict").replaceChildren(
    element("p", {}, say("conflict", by)), element("p", {}, `${say("theirs")}: `, ...theirs.parts.map(part)), element("p", {}, `${say("yours")}: ${text}`),
    element("button", { type: "button", id: "take", onclick: close }, say("take")),
    element("button", { type: "button", id: "mine", onclick: () => guarded(keep) }, say("mine")));
  $("conflict").hidden = false;
  mine.old = mine.box.value; // the box is not sent again by itself
}

// Attack texts by hand: the golden context to begin with, and what else the attack needs.
function writer(item, attack) {
  const golden = item.sections.find((s) => s.name === "golden").items;
  const places = {};
  const line = (name, tag, value = "") => {
    places[name] = element(tag, { "data-write": `${attack}/${name}`, "aria-label": say(`write ${name}`) });
    places[name].value = value;
    return element("label", { class: "field" }, say(`write ${name}`), places[name]);
  };
  const target = element("select", { "data-write": `${attack}/target`, "aria-label": say("golden") },
    ...golden.map((g, i) => element("option", { value: String(i + 1) }, g.field)));
  const names = attack === "soft_ad" ? ["direct", "indirect"] : ["text"];
  const begin = () => { for (const name of names) places[name].value = golden[Number(target.value) - 1].text; };
  const send = async () => {
    const values = Object.fromEntries(Object.entries(places).map(([name, box]) => [name, box.value]));
    await finish();
    await orConflict(() => act("write", { attack, target: Number(target.value), ...values }));
    await loadQueue();
    redraw();
  };
  const rest = attack === "soft_ad" ? [line("names", "input")] : ["true", "false", "keyword"].map((name) => line(name, "input"));
  const form = element("div", { class: "writer" }, element("p", {}, say(`guide ${attack}`)), element("p", {}, target),
    ...names.map((name) => line(name, "textarea")), ...rest,
    element("p", {}, element("button", { type: "button", "data-write": `${attack}/save`, onclick: () => guarded(send) }, say("write save"))));
  target.addEventListener("change", begin);
  begin();
  return element("details", {}, element("summary", { "data-write": attack }, `${say("write")}: ${say(`no ${attack}`)}`), form);
}

const part = (piece) => piece.kind ? element({ fact: "mark", ins: "ins", del: "del", keyword: "mark" }[piece.kind], {}, piece.text) : piece.text;

function text(item) {
  const place = element("div", { class: "text", tabindex: "0", "data-field": item.field, dir: "auto" }, ...item.parts.map(part));
  place.addEventListener("click", () => edit(item, place));
  const label = item.label ? element("span", { class: `tag ${item.label}` }, say(item.label === "correct" ? "true" : "false")) : null;
  return element("div", {}, element("span", { class: "field" }, label, item.field), place);
}

export function draw(item) {
  const button = (name, work) => element("button", { type: "button", id: `do-${name}`, onclick: () => guarded(work) }, say(name));
  const actions = [button("accept", keys.a), button("reject", keys.r), button("return", keys.b), button("reopen", keys.o)];
  if (item.undoable) actions.push(button("undo", keys.u));
  const problems = item.problems.length
    ? [element("p", {}, say("findings")), element("ul", { class: "problems" }, ...item.problems.map((p) => element("li", {}, `${p.where}: ${p.message}`)))]
    : [element("p", {}, say("nofindings"))];
  return [
    element("h2", {}, item.title),
    element("p", {}, ...tags(item), element("span", { class: "tag" }, say(item.made_by === "rules" ? "machine" : "model")), item.note),
    element("div", { class: "actions" }, ...actions), ...problems,
    item.missing.length ? element("p", {}, `${say("missing")}: ${item.missing.map((name) => say(`no ${name}`)).join(", ")}`) : null,
    ...Object.entries(item.reasons).map(([name, why]) => element("p", { class: "field" }, `${name}: ${say("reason")} ${why}`)),
    ...item.sections.flatMap((s) => [element("h3", {}, say(s.name)), ...s.items.map(text)]),
    ...item.writable.map((attack) => writer(item, attack)),
    element("h3", {}, say("history")),
    element("table", { id: "history" }, ...item.history.map((h) => element("tr", {},
      element("td", {}, h.at), element("td", {}, h.who), element("td", {}, say(h.kind === "undo" ? "undone" : h.kind)), element("td", {}, h.what.join("; "))))),
  ].filter(Boolean);
}
