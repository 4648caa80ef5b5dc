/** To be written. */
export const view = { id: "tree", title: "Tree", available: () => true, mount: (element) => element.append("Tree") };
