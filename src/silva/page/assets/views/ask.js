import { button, h, name, replace } from "../base/dom.js";
import { copy } from "../base/download.js";
import { answer, back, replay, why } from "../model/dialog.js";
import { AnswerError } from "../model/reading.js";
import { evidenceParts, predictedWords, shareBars, whichTree } from "./tools/outcome.js";

const TYPED = { number: "Type the number", time: "Type the date or time", level: "Type the value" };

/** The question dialog: one question at a time until the tree has a prediction. */
export const view = { id: "ask", title: "Ask me", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const { store } = app;
  const main = h("div", { class: "sheet" });
  const side = h("aside", { class: "sheet", "aria-label": "Answers so far" });
  const about = h("div");
  let state;
  const show = () => {
    const given = store.get("answers");
    state = replay(app.tree(), Array.isArray(given) ? given : []);
    replace(about, whichTree(app));
    replace(main, state.finished ? outcome(state, app, go) : question(state, go));
    replace(side, answersSoFar(state));
  };
  const go = (next) => {
    store.set({ answers: next.answers.length ? next.given : null });
    main.querySelector("h2")?.focus();
    app.announce(spoken(next, app.doc));
  };
  store.subscribe(["answers"], show);
  store.subscribe(["tree"], () => (store.get("answers") === null ? show() : store.set({ answers: null })));
  show();
  element.append(about, h("div", { class: "ask" }, main, side));
}

function spoken(state, doc) {
  return [state.note, state.finished ? `Prediction: ${predictedWords(doc, predictionOf(state, doc))}` : state.question.text].filter(Boolean).join(" ");
}

function predictionOf({ result }, doc) {
  return doc.classes === null ? result.prediction : doc.classes.findIndex((one) => one.value === result.prediction);
}

function question(state, go) {
  const asked = state.question;
  const range = asked.training_range ? h("p", { class: "quiet" }, `Training rows have `, name(asked.training_range), ".") : null;
  const options = asked.options.map((option) => optionButton(state, option, go));
  return [
    state.note ? h("p", { class: "tool-warning" }, name(state.note)) : null,
    h("h2", { class: "asked", tabindex: -1 }, name(asked.text)),
    range,
    h("div", { class: "options", role: "group", "aria-label": "Possible answers" }, options),
    asked.hint ? typedAnswer(state, go) : null,
    h("div", { class: "line-up" }, walking(state, go)),
    reasons(state),
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
  const box = h("input", { type: "text", inputmode: takes === "number" ? "decimal" : null, autocomplete: "off", "aria-describedby": "ask-problem" });
  const send = (event) => {
    event.preventDefault();
    if (box.value.trim()) attempt(state, box, problem, go);
    else box.focus();
  };
  return h("form", { on: { submit: send } }, h("div", { class: "typed" }, h("label", null, TYPED[takes], box), h("button", { type: "submit" }, "Answer")), problem);
}

function attempt(state, box, problem, go) {
  try {
    go(answer(state, box.value));
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    replace(problem, name(error.message[0].toUpperCase() + error.message.slice(1) + "."));
    box.setAttribute("aria-invalid", "true");
    box.focus();
  }
}

function walking(state, go) {
  const start = () => go(replay(state.tree, []));
  return [button("Back", () => go(back(state)), { disabled: !state.answers.length }), button("Start again", start, { disabled: !state.answers.length })];
}

function reasons(state) {
  const text = h("div", { class: "why" });
  const box = h("details", { on: { toggle: () => text.firstChild ?? replace(text, name(why(state).words)) } }, h("summary", { text: "Why this question?" }), text);
  return box;
}

function answersSoFar(state) {
  const given = state.answers.map((one) => h("li", null, h("span", { class: "quiet" }, name(one.column)), h("br"), name(one.words)));
  return [h("h3", { text: "Answers so far" }), given.length ? h("ol", { class: "answers" }, given) : h("p", { class: "quiet", text: "None yet. Only the questions on the way to the prediction are asked." })];
}

function outcome(state, app, go) {
  const { doc } = app;
  const { result } = state;
  const prediction = predictionOf(state, doc);
  const target = doc.model.target ? [" of ", name(doc.model.target)] : null;
  return [
    state.note ? h("p", { class: "tool-warning" }, name(state.note)) : null,
    h("p", { class: "quiet" }, "Prediction", target),
    h("h2", { class: "predicted", tabindex: -1 }, name(predictedWords(doc, prediction))),
    shareBars(doc, result.shares),
    evidenceParts(doc, result.evidence, prediction),
    result.settled ? h("p", { class: "quiet", text: "Further questions would not change the prediction." }) : null,
    h("h3", { text: "Because" }),
    h("p", null, name(result.path)),
    result.rule ? [h("h3", { text: "Rule" }), h("p", { class: "asked-rule" }, name(result.rule))] : null,
    h("div", { class: "line-up" }, walking(state, go), finalTools(state, app)),
  ];
}

function finalTools(state, app) {
  const { node } = state.place;
  const reveal = () => {
    app.store.set({ pathNodes: state.tree.path(node) });
    app.reveal(node);
  };
  const copied = async () => (await copy(`${state.result.words}\n`)) && app.announce("Copied.");
  return [button("Show in the tree", reveal), button("Copy as text", copied), button("Print", () => window.print())];
}
