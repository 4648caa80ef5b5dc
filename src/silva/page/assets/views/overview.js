/** To be written. */
export const view = { id: "overview", title: "Overview", available: () => true, mount: (element) => element.append("Overview") };
