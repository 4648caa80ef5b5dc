/** To be written. */
export const view = { id: "quality", title: "Quality", available: () => true, mount: (element) => element.append("Quality") };
