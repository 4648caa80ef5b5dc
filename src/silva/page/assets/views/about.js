/** To be written. */
export const view = { id: "about", title: "About", available: () => true, mount: (element) => element.append("About") };
