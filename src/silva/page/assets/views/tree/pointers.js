const STILL = 4;

/** Pan by dragging, zoom by wheel and by two fingers. `isDragged()` tells whether the last press moved, so that it is no click. */
export function mountPointers(stage, camera) {
  const touching = new Map();
  let [dragged, start] = [false, null];
  const point = (event) => {
    const { left, top } = stage.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (touching.size === 0) dragged = false;
    touching.set(event.pointerId, point(event));
    start = point(event);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!touching.has(event.pointerId)) return;
    const [before, now] = [[...touching.values()], point(event)];
    const moved = touching.get(event.pointerId);
    if (!dragged && touching.size === 1 && Math.hypot(now.x - start.x, now.y - start.y) < STILL) return;
    if (!dragged) stage.setPointerCapture(event.pointerId);
    dragged = true;
    touching.set(event.pointerId, now);
    if (touching.size === 1) camera.panBy(now.x - moved.x, now.y - moved.y);
    else if (touching.size === 2) pinch(camera, before, [...touching.values()]);
  });
  const ended = (event) => touching.delete(event.pointerId);
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, ended);
  stage.addEventListener("pointerleave", (event) => !dragged && ended(event));
  stage.addEventListener("wheel", (event) => turn(event, camera, point(event)), { passive: false });
  return { isDragged: () => dragged };
}

function pinch(camera, [one, two], [newOne, newTwo]) {
  const middle = { x: (newOne.x + newTwo.x) / 2, y: (newOne.y + newTwo.y) / 2 };
  const factor = Math.hypot(newOne.x - newTwo.x, newOne.y - newTwo.y) / Math.max(1, Math.hypot(one.x - two.x, one.y - two.y));
  camera.panBy(middle.x - (one.x + two.x) / 2, middle.y - (one.y + two.y) / 2);
  camera.zoomAt(middle.x, middle.y, factor);
}

function turn(event, camera, { x, y }) {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const speed = event.ctrlKey ? 0.01 : 0.0016;
  camera.zoomAt(x, y, Math.exp(-Math.max(-250, Math.min(250, event.deltaY * unit)) * speed));
}
