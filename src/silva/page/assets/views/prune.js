/** To be written. */
export function mountPrune(element, app) {
  element.append(app.doc.title);
}
