/** To be written. */
export const view = { id: "columns", title: "Columns", available: () => true, mount: (element) => element.append("Columns") };
