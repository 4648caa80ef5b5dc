/** To be written. */
export const view = { id: "surface", title: "Surface", available: () => true, mount: (element) => element.append("Surface") };
