/** To be written. */
export const view = { id: "rules", title: "Rules", available: () => true, mount: (element) => element.append("Rules") };
