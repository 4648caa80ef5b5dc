/** To be written. */
export const view = { id: "forest", title: "Forest", available: () => true, mount: (element) => element.append("Forest") };
