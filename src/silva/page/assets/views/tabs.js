import { button, h, setProps } from "../base/dom.js";
import { mountDetails } from "./details.js";
import { follow } from "./parts.js";

const WITH_DETAILS = ["tree", "overview", "rules"];

/** The views as tabs; a view is made when it is first shown. Views without their data say what they need. */
export function mountTabs(element, app) {
  const { store, doc } = app;
  const parts = app.views.filter((view) => view.available(doc) !== false).map((view) => makePart(view, app));
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views", on: { keydown: moveFocus } }, parts.map(({ tab }) => tab));
  const details = h("aside", { class: "details", "aria-label": "Selected node" });
  const panels = h("div", { class: "panels" }, parts.map(({ panel }) => panel));
  element.append(list, h("div", { class: "stage" }, panels, details));
  mountDetails(details, app);
  follow(app, ["view"], () => {
    if (!parts.some(({ view }) => view.id === store.get("view"))) store.set({ view: parts[0].view.id });
    for (const part of parts) showPart(part, app, part.view.id === store.get("view"));
    details.hidden = !WITH_DETAILS.includes(store.get("view"));
  });
}

function makePart(view, app) {
  const [tab, panel] = [`tab-${view.id}`, `panel-${view.id}`];
  return {
    view,
    tab: button(view.title, () => app.store.set({ view: view.id }), { role: "tab", id: tab, "aria-controls": panel }),
    panel: h("section", { class: `panel ${panel}`, id: panel, role: "tabpanel", "aria-labelledby": tab }),
  };
}

function showPart(part, app, isShown) {
  const { view, tab, panel } = part;
  setProps(tab, { "aria-selected": `${isShown}`, tabindex: isShown ? 0 : -1 });
  panel.hidden = !isShown;
  if (!isShown || part.isMade) return;
  part.isMade = true;
  const reason = view.available(app.doc);
  if (reason === true) view.mount(panel, app);
  else panel.append(h("p", { class: "missing-part", text: reason }));
}

function moveFocus(event) {
  const tabs = [...event.currentTarget.children];
  const at = tabs.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  next.focus();
  next.click();
}
