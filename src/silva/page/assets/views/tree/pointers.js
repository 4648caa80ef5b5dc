import { setProps } from "../../base/dom.js";

const STILL = 4;

/** Pan by dragging, zoom by wheel and by two fingers. `isDragged()` tells whether the last press moved, so that it is no click. */
export function mountPointers(stage, camera) {
  const touching = new Map();
  let [dragged, start] = [false, null];
  const point = ({ clientX, clientY }) => {
    const { left, top } = stage.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const pointerdown = (event) => {
    if (event.button !== 0) return;
    if (!touching.size) dragged = false;
    start = point(event);
    touching.set(event.pointerId, start);
  };
  const pointermove = (event) => {
    const { pointerId } = event;
    if (!touching.has(pointerId)) return;
    const [before, now] = [[...touching.values()], point(event)];
    if (!dragged && before.length === 1 && distance(now, start) < STILL) return;
    if (!dragged) stage.setPointerCapture(pointerId);
    dragged = true;
    touching.set(pointerId, now);
    follow(camera, before, [...touching.values()]);
  };
  const pointerup = (event) => touching.delete(event.pointerId);
  const pointerleave = (event) => dragged || pointerup(event);
  setProps(stage, { on: { pointerdown, pointermove, pointerup, pointercancel: pointerup, pointerleave } });
  stage.addEventListener("wheel", (event) => turn(event, camera, point(event)), { passive: false });
  return { isDragged: () => dragged };
}

function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** One finger moves the drawing, two zoom as well: the second of one finger is the same again. */
function follow(camera, [one, two = one], [newOne, newTwo = newOne]) {
  const middle = { x: (newOne.x + newTwo.x) / 2, y: (newOne.y + newTwo.y) / 2 };
  camera.panBy(middle.x - (one.x + two.x) / 2, middle.y - (one.y + two.y) / 2);
  if (two !== one) camera.zoomAt(middle, distance(newOne, newTwo) / Math.max(1, distance(one, two)));
}

function turn(event, camera, place) {
  event.preventDefault();
  const unit = [1, 16, 400][event.deltaMode];
  const speed = event.ctrlKey ? 0.01 : 0.0016;
  camera.zoomAt(place, Math.exp(-Math.max(-250, Math.min(250, event.deltaY * unit)) * speed));
}
