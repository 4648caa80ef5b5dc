/** To be written. */
export const view = { id: "whatif", title: "What if", available: () => true, mount: (element) => element.append("What if") };
