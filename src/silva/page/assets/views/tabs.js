import { h } from "../base/dom.js";
import { mountDetails } from "./details.js";

const WITH_DETAILS = ["tree", "overview", "rules"];

/** The views as tabs; a view is made when it is first shown. Views without their data say what they need. */
export function mountTabs(element, app) {
  const { store, doc } = app;
  const views = app.views.filter((view) => view.available(doc) !== false);
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  const details = h("aside", { class: "details", "aria-label": "Selected node" });
  const panels = h("div", { class: "panels" });
  const parts = views.map((view) => makeTab(view, app, list));
  for (const { tab, panel } of parts) {
    list.append(tab);
    panels.append(panel);
  }
  element.append(list, h("div", { class: "stage" }, panels, details));
  mountDetails(details, app);
  const show = () => {
    if (!parts.some((part) => part.view.id === store.get("view"))) store.set({ view: parts[0].view.id });
    for (const part of parts) showPart(part, app, part.view.id === store.get("view"));
    details.hidden = !WITH_DETAILS.includes(store.get("view"));
  };
  store.subscribe(["view"], show);
  show();
}

function makeTab(view, app, list) {
  const choose = () => app.store.set({ view: view.id });
  const tab = h("button", { type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": `panel-${view.id}`, on: { click: choose, keydown: (event) => moveFocus(event, list) } }, view.title);
  const panel = h("section", { class: `panel panel-${view.id}`, id: `panel-${view.id}`, role: "tabpanel", "aria-labelledby": `tab-${view.id}` });
  return { view, tab, panel, made: false };
}

function showPart(part, app, shown) {
  part.tab.setAttribute("aria-selected", String(shown));
  part.tab.tabIndex = shown ? 0 : -1;
  part.panel.hidden = !shown;
  if (!shown || part.made) return;
  part.made = true;
  const reason = part.view.available(app.doc);
  if (reason === true) part.view.mount(part.panel, app);
  else part.panel.append(h("p", { class: "missing-part", text: reason }));
}

function moveFocus(event, list) {
  const tabs = [...list.children];
  const at = tabs.indexOf(event.currentTarget);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs[(to + tabs.length) % tabs.length];
  next.focus();
  next.click();
}
