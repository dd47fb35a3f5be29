// Shared parts of flows: effects, the field for a code, and the loop that runs a flow.

/** An effect that only the painter handles. `tell` is its key in flow-transcripts.json. */
export const emit = (name, value = true) => ({ tell: name, value });
/** Returns a failure as one line: `refused codeWrong`. */
export function summary(failure) {
  if (!failure) return null;
  const subject = failure.kind === 'refused' ? failure.code : failure.field;
  return [failure.kind, subject].filter(Boolean).join(' ');
}

/**
 * The field for a code of digits; a second factor also takes a recovery code, which has another
 * form.
 */
export class CodeEntry {
  constructor({ length = 6, takesRecoveryCode = false } = {}) {
    Object.assign(this, { length, takesRecoveryCode, text: '' });
  }
  get isWhole() {
    return this.text.length === this.length && /^[0-9]+$/.test(this.text);
  }
  get canSubmit() {
    return this.isWhole || (this.takesRecoveryCode && !!this.text);
  }
  /**
   * Sets the text without spaces, with which people paste codes; returns whether it has changed.
   */
  setText(input) {
    const code = input.replace(/\s/g, '');
    if (code === this.text) return false;
    this.text = code;
    return true;
  }
  clear() {
    this.text = '';
  }
}

/**
 * Runs a flow: gives it events, shows what they changed, and does its work.
 * @param paint called after each event with its effects
 * @param work starts an effect's work; sends its result later
 */
export function drive(flow, { paint, work }) {
  let timer;
  const send = (event) => {
    const now = performance.now();
    const effects = flow.receive(event, now);
    paint(effects);
    for (const effect of effects) {
      if (effect.start === 'tick') {
        const tick = { type: 'ticked', contact: effect.of };
        timer = setTimeout(() => send(tick), Math.max(0, effect.at - now));
      } else if (effect.start) work(effect, send);
    }
  };
  return { send, stop: () => clearTimeout(timer) };
}
/** Whether the effects include an output of this name. */
export const emits = (effects, name) => effects.some(({ tell }) => tell === name);
/** Shows the failure of a flow in a form's place for errors, once. */
export function failurePainter(error) {
  let shown = null;
  return (failure) => {
    if (failure === shown) return;
    shown = failure;
    if (failure) error.show(failure);
    else error.hide();
  };
}
