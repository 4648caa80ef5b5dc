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

function walk(page, actions) {
  let state = dialog.startDialog(page);
  return actions.map((action) => {
    const found = attempt(() => {
      if (action.do === "answer") state = dialog.answer(state, action.value);
      if (action.do === "option") state = dialog.answer(state, state.question.options[action.value]);
      if (action.do === "back") state = dialog.back(state);
      return action.do === "why" ? dialog.whyToDict(state) : dialog.toDict(state);
    });
    const again = dialog.toDict(dialog.replay(page, state.given));
    return JSON.stringify(again) === JSON.stringify(dialog.toDict(state)) ? found : { error: "replay differs" };
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
