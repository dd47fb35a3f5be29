/**
 * Runs a flow: gives it events, shows what they changed, and does its work.
 * @param paint called after each event with its effects
 * @param work does a piece of work; its answer is an event too
 */
export function drive(flow, { paint, work }) {
  let timer;
  const send = (event) => {
    const now = performance.now(), effects = flow.receive(event, now);
    paint(effects);
    for (const effect of effects) {
      if (effect.start === 'tick') timer = setTimeout(() => send({ type: 'ticked' }), Math.max(0, effect.at - now));
      else if (effect.start) work(effect, send);
    }
  };
  return { send, stop: () => clearTimeout(timer) };
}
/** Whether an effect of this name was told. */
export const isTold = (effects, name) => effects.some(({ tell }) => tell === name);
/** Shows the failure of a flow in a form's place for errors, once. */
export function failurePainter(error) {
  let shown = null;
  return (failure) => {
    if (failure === shown) return;
    shown = failure;
    if (failure) error.show(failure); else error.hide();
  };
}
