/** To be written. */
export const view = { id: "ask", title: "Ask me", available: () => true, mount: (element) => element.append("Ask me") };
