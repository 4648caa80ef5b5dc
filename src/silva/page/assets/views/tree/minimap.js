import { h } from "../../base/dom.js";
import { palette } from "./colours.js";

const [WIDTH, HEIGHT] = [156, 92];

/** A small picture of the whole drawing with the window on it; dragging moves the window. Hidden while everything is in the window. */
export class Minimap {
  constructor(camera) {
    this.camera = camera;
    const pointerdown = (event) => {
      event.stopPropagation();
      this.canvas.setPointerCapture(event.pointerId);
      this.centreOn(event);
    };
    const pointermove = (event) => event.buttons && this.centreOn(event);
    this.canvas = h("canvas", { class: "minimap", "aria-hidden": "true", width: WIDTH * 2, height: HEIGHT * 2, on: { pointerdown, pointermove } });
  }

  centreOn({ offsetX, offsetY }) {
    const ratio = WIDTH / this.canvas.clientWidth;
    const { k, dx, dy } = this.scale();
    this.camera.go(this.camera.centred({ x: (offsetX * ratio - dx) / k, y: (offsetY * ratio - dy) / k, w: 0, h: 0 }));
  }

  scale() {
    const { width, height } = this.arranged;
    const k = Math.min(WIDTH / width, HEIGHT / height);
    return { k, dx: (WIDTH - width * k) / 2, dy: (HEIGHT - height * k) / 2 };
  }

  /** Takes a new arrangement; `tint(node)` gives the colour's name and strength. */
  show(arranged, tint) {
    Object.assign(this, { arranged, tint });
  }

  draw() {
    const { x, y, w, h: tall } = this.camera.shown;
    const { width, height } = this.arranged;
    const isWhole = x <= 0 && y <= 0 && x + w >= width - 1 && y + tall >= height - 1;
    this.canvas.classList.toggle("away", isWhole);
    if (!isWhole) this.paint(x, y, x + w, y + tall);
  }

  /** Setting the width clears the canvas. */
  paint(left, top, right, bottom) {
    const [pen, colour] = [this.canvas.getContext("2d"), palette()];
    const { k, dx, dy } = this.scale();
    this.canvas.width = WIDTH * 2;
    pen.setTransform(2 * k, 0, 0, 2 * k, 2 * dx, 2 * dy);
    for (const { node, stub, x, y, w, h: tall } of this.arranged.boxes) {
      if (stub) continue;
      const { name, strength } = this.tint(node);
      pen.fillStyle = colour(name);
      pen.globalAlpha = strength;
      pen.fillRect(x, y, Math.max(0.5 / k, w), Math.max(0.75 / k, tall));
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("focus");
    pen.lineWidth = 2 / k;
    const [x, y] = [Math.max((1 - dx) / k, left), Math.max((1 - dy) / k, top)];
    pen.strokeRect(x, y, Math.min((WIDTH - 1 - dx) / k, right) - x, Math.min((HEIGHT - 1 - dy) / k, bottom) - y);
  }
}
