import { button, h } from "./dom.js";

/** Offers a file for download; `content` is a text or a Blob. */
export function save(file, mime, content) {
  const href = URL.createObjectURL(new Blob([content], { type: `${mime};charset=utf-8` }));
  const link = h("a", { href, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Copies a text; where that is not allowed, shows it in a box to copy by hand. Resolves to whether it was copied. */
export async function copy(text) {
  try {
    if (document.featurePolicy?.allowsFeature("clipboard-write") === false) throw new Error("blocked by the frame");
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showText(text);
    return false;
  }
}

function showText(text) {
  const box = h("textarea", { readonly: true, rows: 8, cols: 60, "aria-label": "Text to copy", text });
  const help = h("p", { text: "Copying is blocked here. Press Ctrl+C to copy the marked text." });
  const close = () => dialog.remove();
  const dialog = h("dialog", { class: "copy-box", "aria-label": "Copy this text", on: { close } }, help, box, button("Close", close));
  document.body.append(dialog);
  dialog.showModal();
  box.select();
}

/** The text of gzip bytes in base64. */
export async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
