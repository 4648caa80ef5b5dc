/** Answers questions of the tests, one JSON value a line: the page's model as Python asks about it. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [folder, script] = process.argv.slice(2);
const NAMES = ["tree", "dialog", "rules", "numbers", "text", "exact", "time", "student", "reading"];

/** The modules as they are, or what the page's script puts into `window.modules`. */
async function loaded() {
  if (script === undefined) return Promise.all(NAMES.map((name) => import(pathToFileURL(join(folder, `${name}.js`)).href)));
  globalThis.window = globalThis;
  (0, eval)(readFileSync(script, "utf-8"));
  return NAMES.map((name) => globalThis.modules[name]);
}

const [tree, dialog, rules, numbers, text, exact, time, student, reading] = await loaded();

function attempt(make) {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof reading.AnswerError)) throw error;
    return { error: error.message };
  }
}

/** The state as JSON can hold it: equal to that of Python's `Dialog.to_dict`. */
function toDict(state) {
  return {
    finished: state.finished,
    question: state.question && questionRecord(state.question),
    answers: state.answers.map(({ column, words, value }) => ({ column, words, value: finite(value) })),
    note: state.note,
    result: state.result && outcomeRecord(state.tree, state.result),
  };
}

/** The reasons as JSON can hold them: equal to those of Python's `Why.to_dict`. */
function whyToDict(state) {
  const found = dialog.why(state);
  const label = (one) => (state.tree.nClasses ? state.tree.doc.classes[one].value : finite(one));
  const predictions = found.predictions.map((one) => ({ ...one, prediction: label(one.prediction) }));
  return { ...found, predictions, ...limitsOf(state.tree, found), evidence: evidencePlain(state.tree, found.evidence) };
}

function questionRecord(question) {
  const options = question.options.map(({ key, words, leads_to, possible, special }) => ({ key, words, leads_to, possible, special }));
  return { ...question, options, low: finite(question.low), high: finite(question.high) };
}

function outcomeRecord(page, result) {
  const shares = labelled(page, result.shares);
  return { ...result, prediction: finite(result.prediction), shares, evidence: evidencePlain(page, result.evidence) };
}

function evidencePlain(page, { rows, shares, mean, deviation, interval }) {
  return { rows, shares: labelled(page, shares), mean: finite(mean), deviation: finite(deviation), interval: interval && interval.map(finite) };
}

function labelled(page, shares) {
  return shares.map(([code, share]) => [page.doc.classes[code].value, share]);
}

function finite(value) {
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}

/** The least and the greatest number that can still be predicted. */
function limitsOf(page, { predictions }) {
  if (page.nClasses) return { low: null, high: null };
  const numbers = predictions.map((one) => one.prediction);
  return { low: finite(Math.min(...numbers)), high: finite(Math.max(...numbers)) };
}

function walk(page, actions) {
  let state = dialog.replay(page, []);
  return actions.map((action) => {
    const found = attempt(() => {
      if (action.do === "answer") state = dialog.answer(state, action.value);
      if (action.do === "option") state = dialog.answer(state, state.question.options[action.value]);
      if (action.do === "back") state = dialog.back(state);
      return action.do === "why" ? whyToDict(state) : toDict(state);
    });
    const again = toDict(dialog.replay(page, state.given));
    return JSON.stringify(again) === JSON.stringify(toDict(state)) ? found : { error: "replay differs" };
  });
}

function ruleRecords(page) {
  return rules.rulesOf(page).map((rule) => ({ ...rule, when: rule.when, then: rule.then }));
}

const TASKS = {
  walks: ({ document, walks }) => {
    const page = tree.decodeDocument(document).trees[0];
    return walks.map((actions) => walk(page, actions));
  },
  rules: ({ document }) => {
    const page = tree.decodeDocument(document).trees[0];
    const nodes = Array.from({ length: page.n }, (_, node) => node);
    return {
      rules: ruleRecords(page),
      when: nodes.map((node) => rules.whenWords(page, node)),
      path: nodes.map((node) => rules.pathWords(page, node)),
    };
  },
  numbers: ({ values }) =>
    values.map(tree.decoded).map((value) => [
      numbers.repr(value),
      numbers.number(value),
      ...[1, 2, 3, 6, 12, 17].map((digits) => numbers.number(value, digits)),
    ]),
  percents: ({ values }) => values.map(numbers.percent),
  thousands: ({ values }) => values.map(numbers.thousands),
  texts: ({ values }) => values.map((value) => [text.quoted(value), text.shown(value), text.strip(value), text.casefold(value), text.isPrintable(value)]),
  read: ({ values }) => values.map((value) => { const found = text.readNumber(value); return found === null ? null : numbers.repr(found); }),
  quotients: ({ pairs }) => pairs.map(([over, under]) => numbers.repr(exact.ratio(BigInt(over), BigInt(under)))),
  neighbours: ({ values }) => values.map(tree.decoded).map((value) => [numbers.repr(exact.nextUp(value)), numbers.repr(exact.nextDown(value))]),
  times: ({ scale, values, texts }) => ({
    written: values.map((value) => [time.written(scale, value), time.writtenRound(scale, value)]),
    read: texts.map((one) => { const found = time.readTime(one, scale); return found === null ? null : numbers.repr(found); }),
  }),
  students: ({ values }) => values.map(student.studentQuantile),
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let found;
  try {
    found = { found: TASKS[asked.task](asked) };
  } catch (error) {
    found = { failure: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
