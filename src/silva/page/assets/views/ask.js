import { button, h, name, replace } from "../base/dom.js";
import { copy } from "../base/download.js";
import { answer, back, replay, why } from "../model/dialog.js";
import { AnswerError } from "../model/reading.js";
import { capital } from "./parts.js";
import { predictedWords, predictionParts, warning, whichTree } from "./tools/outcome.js";
import { lineUp, quiet } from "./tools/parts.js";

const TYPED = { number: "Type the number", time: "Type the date or time", level: "Type the value" };

/** The question dialog: one question at a time until the tree has a prediction. */
export const view = { id: "ask", title: "Ask me", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const { store } = app;
  const main = h("div", { class: "sheet" });
  const side = h("aside", { class: "sheet", "aria-label": "Answers so far" });
  const about = h("div");
  const show = () => {
    const given = store.get("answers");
    const state = replay(app.tree(), Array.isArray(given) ? given : []);
    replace(about, whichTree(app));
    replace(main, state.note ? warning(name(state.note)) : null, state.finished ? outcome(state, app, go) : question(state, go));
    replace(side, answersSoFar(state));
  };
  const go = (next) => {
    store.set({ answers: next.answers.length ? next.given : null });
    main.querySelector("h2").focus();
    app.announce(`${next.note} ${next.finished ? `Prediction: ${predictedWords(app.doc, predictionOf(next, app.doc))}` : next.question.text}`);
  };
  store.subscribe(["answers"], show);
  store.subscribe(["tree"], () => (store.get("answers") === null ? show() : store.set({ answers: null })));
  show();
  element.append(about, h("div", { class: "ask" }, main, side));
}

function predictionOf({ result }, { classes }) {
  return classes === null ? result.prediction : classes.findIndex((one) => one.value === result.prediction);
}

function question(state, go) {
  const asked = state.question;
  const reasons = h("div", { class: "why" });
  return [
    h("h2", { class: "asked", tabindex: -1 }, name(asked.text)),
    asked.training_range ? quiet("Training rows have ", name(asked.training_range), ".") : null,
    h("div", { class: "options", role: "group", "aria-label": "Possible answers" }, asked.options.map((option) => optionButton(state, option, go))),
    asked.hint ? typedAnswer(state, go) : null,
    lineUp(walking(state, go)),
    h("details", { on: { toggle: () => replace(reasons, name(why(state).words)) } }, h("summary", { text: "Why this question?" }), reasons),
  ];
}

function optionButton(state, option, go) {
  const lead = option.special || !option.possible ? option.leads_to : `leads to ${option.leads_to}`;
  const label = [h("span", null, name(option.words)), h("small", null, name(lead))];
  return button(label, () => go(answer(state, option)), { class: option.special ? "option special" : "option", disabled: !option.possible });
}

function typedAnswer(state, go) {
  const { takes } = state.question;
  const problem = h("p", { class: "problem", id: "ask-problem", role: "alert" });
  const box = h("input", { inputmode: takes === "number" ? "decimal" : null, autocomplete: "off", "aria-describedby": problem.id });
  const send = (event) => {
    event.preventDefault();
    box.focus();
    if (box.value.trim()) attempt(state, box, problem, go);
  };
  return h("form", { on: { submit: send } }, h("div", { class: "typed" }, h("label", null, TYPED[takes], box), h("button", null, "Answer")), problem);
}

function attempt(state, box, problem, go) {
  try {
    go(answer(state, box.value));
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    replace(problem, name(`${capital(error.message)}.`));
    box.setAttribute("aria-invalid", "true");
  }
}

function walking(state, go) {
  const props = { disabled: !state.answers.length };
  return [button("Back", () => go(back(state)), props), button("Start again", () => go(replay(state.tree, [])), props)];
}

function answersSoFar({ answers }) {
  const given = answers.map((one) => h("li", null, h("span", { class: "quiet" }, name(one.column)), h("br"), name(one.words)));
  return [h("h3", { text: "Answers so far" }), given.length ? h("ol", { class: "answers" }, given) : quiet("None yet. Only the questions on the way to the prediction are asked.")];
}

function outcome(state, app, go) {
  const { result, place } = state;
  const reveal = () => {
    app.store.set({ pathNodes: state.tree.path(place.node) });
    app.reveal(place.node);
  };
  const copied = async () => (await copy(`${result.words}\n`)) && app.announce("Copied.");
  return [
    predictionParts(app.doc, predictionOf(state, app.doc), result.shares, result.evidence),
    result.settled ? quiet("Further questions would not change the prediction.") : null,
    h("h3", { text: "Because" }),
    h("p", null, name(result.path)),
    result.rule ? [h("h3", { text: "Rule" }), h("p", { class: "asked-rule" }, name(result.rule))] : null,
    lineUp(walking(state, go), button("Show in the tree", reveal), button("Copy as text", copied), button("Print", () => window.print())),
  ];
}
