const [SMALLEST, LARGEST] = [0.004, 4];
const EDGE = 16;
const MARGIN = 120;
const MOVES_MS = 160;
/** The zoom of the first look is between these: the children of the root are in the window, and texts can be read. */
export const FIRST_ZOOM = 0.9;
const LEAST_ZOOM = 0.56;

/** Where the window is on the drawing: x and y are the window's place of the drawing's corner, k the zoom. Calls `changed` after each move. */
export class Camera {
  constructor(group, changed) {
    Object.assign(this, { group, changed, x: 0, y: 0, k: 1, width: 0, height: 0, frame: 0 });
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** Goes to a place, at once or in a short move. */
  go({ x, y, k }, isSmooth = false) {
    cancelAnimationFrame(this.frame);
    if (!isSmooth || this.calm.matches) return this.set(x, y, k);
    const [from, start] = [{ ...this }, performance.now()];
    const move = (now) => {
      const left = Math.max(0, 1 - Math.max(0, now - start) / MOVES_MS) ** 3;
      this.set(x + (from.x - x) * left, y + (from.y - y) * left, k + (from.k - k) * left);
      if (left) this.frame = requestAnimationFrame(move);
    };
    this.frame = requestAnimationFrame(move);
  }

  set(x, y, k) {
    Object.assign(this, { x, y, k });
    this.group.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    this.changed();
  }

  panBy(dx, dy) {
    this.go({ x: this.x + dx, y: this.y + dy, k: this.k });
  }

  /** Zooms so that the point of the window stays where it is. */
  zoomAt({ x, y }, factor) {
    const k = Math.min(LARGEST, Math.max(SMALLEST, this.k * factor));
    const ratio = k / this.k;
    this.go({ x: x - (x - this.x) * ratio, y: y - (y - this.y) * ratio, k });
  }

  /** Zooms in for "+", else out. */
  zoom(sign) {
    this.zoomAt({ x: this.width / 2, y: this.height / 2 }, sign === "+" ? 1.3 : 1 / 1.3);
  }

  /** The part of the drawing that the window shows, in the drawing's pixels. */
  get shown() {
    return { x: -this.x / this.k, y: -this.y / this.k, w: this.width / this.k, h: this.height / this.k };
  }

  /** Whether a box is in the window or close to it. */
  sees({ x, y, w, h }) {
    const { shown } = this;
    const isNear = (begin, size, from, room) => begin + size > from - MARGIN && begin < from + room + MARGIN;
    return isNear(x, w, shown.x, shown.w) && isNear(y, h, shown.y, shown.h);
  }

  /** Where all of the drawing is in the window. */
  fit({ width, height }, largest = 1.2) {
    const k = Math.min(largest, Math.max(SMALLEST, Math.min((this.width - 2 * EDGE) / width, (this.height - 2 * EDGE) / height)));
    return { x: (this.width - width * k) / 2, y: Math.max(EDGE / 2, (this.height - height * k) / 2), k };
  }

  /** The first look: all of the drawing where it can be read, else a box (at the top if it is the uppermost) at a zoom for the `upper` boxes. */
  first(drawing, upper, box) {
    const whole = this.fit(drawing, 1);
    const span = Math.max(...upper.map(({ x, w }) => x + w)) - Math.min(...upper.map(({ x }) => x));
    const wide = (this.width - 40) / span;
    const k = wide < LEAST_ZOOM ? (LEAST_ZOOM + FIRST_ZOOM) / 2 : Math.min(FIRST_ZOOM, wide);
    if (whole.k >= Math.min(k, 0.68)) return whole;
    const found = this.centred(box, k);
    return box.node === 0 ? { ...found, y: 18 - box.y * k } : found;
  }

  /** Where a box is in the middle of the window. */
  centred(box, k = this.k) {
    return { x: this.width / 2 - (box.x + box.w / 2) * k, y: this.height / 2 - (box.y + box.h / 2) * k, k };
  }

  /** The shortest way from which the whole box is seen. */
  including(box) {
    const { k } = this;
    const clamp = (at, begin, size, room) => {
      if (size * k + 2 * EDGE > room) return room / 2 - (begin + size / 2) * k;
      return Math.min(room - EDGE - (begin + size) * k, Math.max(EDGE - begin * k, at));
    };
    return { x: clamp(this.x, box.x, box.w, this.width), y: clamp(this.y, box.y, box.h, this.height), k };
  }
}
