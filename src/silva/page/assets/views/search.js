/** To be written. */
export function mountSearch(element, app) {
  element.append(app.doc.title);
}
