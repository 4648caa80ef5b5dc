/** To be written. */
export const view = { id: "export", title: "Export", available: () => true, mount: (element) => element.append("Export") };
