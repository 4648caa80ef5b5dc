/** To be written. */
export function mountDetails(element, app) {
  element.append(app.doc.title);
}
