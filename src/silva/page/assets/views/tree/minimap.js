import { h } from "../../base/dom.js";

const [WIDTH, HEIGHT] = [156, 92];

/** A small picture of the whole drawing with the window on it; dragging moves the window. Hidden while everything is in the window. */
export class Minimap {
  constructor(camera) {
    this.camera = camera;
    this.canvas = h("canvas", { class: "minimap", "aria-hidden": "true", width: WIDTH * 2, height: HEIGHT * 2 });
    this.boxes = [];
    this.size = { width: 1, height: 1 };
    const move = (event) => event.buttons && this.centreOn(event);
    this.canvas.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      this.canvas.setPointerCapture(event.pointerId);
      this.centreOn(event);
    });
    this.canvas.addEventListener("pointermove", move);
  }

  centreOn(event) {
    const { left, top, width } = this.canvas.getBoundingClientRect();
    const ratio = WIDTH / width;
    const { k, dx, dy } = this.scale();
    const [x, y] = [((event.clientX - left) * ratio - dx) / k, ((event.clientY - top) * ratio - dy) / k];
    this.camera.go(this.camera.centred({ x, y, w: 0, h: 0 }));
  }

  scale() {
    const { width, height } = this.size;
    const k = Math.min(WIDTH / width, HEIGHT / height);
    return { k, dx: (WIDTH - width * k) / 2, dy: (HEIGHT - height * k) / 2 };
  }

  /** Takes a new arrangement; `tint(node)` gives the colour's name and strength. */
  show(arranged, tint) {
    this.size = arranged;
    this.boxes = arranged.boxes.filter((box) => !box.stub).map((box) => ({ ...box, tint: tint(box.node) }));
    this.picture = null;
    this.draw();
  }

  draw() {
    const seen = this.camera.shown();
    const isWhole = seen.x <= 0 && seen.y <= 0 && seen.x + seen.w >= this.size.width - 1 && seen.y + seen.h >= this.size.height - 1;
    this.canvas.classList.toggle("away", isWhole);
    if (isWhole) return;
    this.picture ??= this.paint();
    const pen = this.canvas.getContext("2d");
    const { k, dx, dy } = this.scale();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, WIDTH * 2, HEIGHT * 2);
    pen.drawImage(this.picture, 0, 0);
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.strokeStyle = colourOf("focus");
    pen.lineWidth = 2;
    const [left, top] = [Math.max(1, dx + seen.x * k), Math.max(1, dy + seen.y * k)];
    pen.strokeRect(left, top, Math.min(WIDTH - 1, dx + (seen.x + seen.w) * k) - left, Math.min(HEIGHT - 1, dy + (seen.y + seen.h) * k) - top);
  }

  paint() {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [WIDTH * 2, HEIGHT * 2];
    const pen = picture.getContext("2d");
    const { k, dx, dy } = this.scale();
    const colours = new Map();
    for (const { x, y, w, h: tall, tint } of this.boxes) {
      if (!colours.has(tint.name)) colours.set(tint.name, colourOf(tint.name));
      pen.fillStyle = colours.get(tint.name);
      pen.globalAlpha = tint.strength;
      pen.fillRect((dx + x * k) * 2, (dy + y * k) * 2, Math.max(1, w * k * 2), Math.max(1.5, tall * k * 2));
    }
    return picture;
  }
}

/** The colour of the palette under this name, in the theme that is shown. */
export function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
