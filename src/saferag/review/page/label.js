// Answers: one verdict for each statement, blind to everything but the answer and the statements.
import { act, draw as redraw, element, guarded, loadQueue, notice, say, state, step } from "/page.js";

export const HELP = "help_label";
const VERDICTS = ["correct", "incorrect", "undecided"];
let mine = { key: "", verdicts: {}, refused: false, place: 0, dirty: false };

export const isDone = (line) => line.done;
export const tags = (line) => line.done ? [element("span", { class: "tag done" }, "✓")] : [];
export const unsaved = () => mine.dirty;
export const leave = async () => { mine.dirty = false; };

const choose = (verdict) => () => {
  const option = state.item.options[mine.place];
  mine.verdicts[option.id] = verdict;
  mine.dirty = true;
  mine.place = Math.min(mine.place + 1, state.item.options.length - 1);
  redraw();
};
const move = (by) => () => { mine.place = Math.max(0, Math.min(mine.place + by, state.item.options.length - 1)); redraw(); };
const refuse = () => { mine.refused = !mine.refused; mine.dirty = true; redraw(); };

async function save() {
  if (state.item.options.some((option) => !mine.verdicts[option.id])) { notice(say("all")); return; }
  await act("label", { verdicts: mine.verdicts, refused: mine.refused });
  mine.dirty = false;
  await loadQueue();
  await step(1);
  redraw();
}

export const keys = {
  1: choose("correct"), 2: choose("incorrect"), 3: choose("undecided"), x: refuse, ArrowDown: move(1), ArrowUp: move(-1), Enter: save,
};

export function draw(item) {
  if (mine.key !== item.id) mine = { key: item.id, verdicts: { ...item.verdicts }, refused: item.refused, place: 0, dirty: false };
  const row = (option, i) => element("div", { class: i === mine.place ? "option current" : "option", "data-option": option.id },
    element("div", { class: "text", dir: "auto" }, option.text),
    element("div", { class: "choices" }, ...VERDICTS.map((verdict, n) => element("button", {
      type: "button", "aria-pressed": String(mine.verdicts[option.id] === verdict),
      onclick: () => { mine.place = i; choose(verdict)(); } }, `${n + 1} ${say(verdict)}`))));
  return [
    element("h2", {}, item.query), element("h3", {}, say("answer")), element("div", { class: "text", id: "answer", dir: "auto" }, item.answer),
    element("p", {}, element("button", { type: "button", id: "refused", "aria-pressed": String(mine.refused), onclick: () => guarded(refuse) }, say("refused"))),
    element("h3", {}, say("judge")), ...item.options.map(row),
    element("div", { class: "actions" }, element("button", { type: "button", id: "next", onclick: () => guarded(save) }, say("next"))),
  ];
}
