// The Return key of forms: it goes on to the next field, and submits in the last one.
import { $$ } from '../base/dom.js';

const FIELDS = '.field input:not([type="checkbox"]), .code input';
/** The fields of a form that can get the focus, in their order. */
const reachableFields = (form) =>
  $$(FIELDS, form).filter((input) => !input.disabled && input.checkVisibility());

function nextField(form, input) {
  const fields = reachableFields(form);
  const index = fields.indexOf(input);
  return index < 0 ? undefined : fields[index + 1];
}

/**
 * Lets Return go on to the next field of a form. In the last one the browser submits the form. The
 * key of an on-screen keyboard says which of both it does.
 * @param isFollowed returns whether another step with fields follows the last field
 */
export function followReturnKey(form, isFollowed = () => false) {
  form.addEventListener('focusin', ({ target }) => {
    if (!target.matches(FIELDS)) return;
    target.enterKeyHint = nextField(form, target) || isFollowed() ? 'next' : 'go';
  });
  form.addEventListener('keydown', (event) => {
    const isReturn = event.key === 'Enter' && !event.isComposing;
    const next = isReturn ? nextField(form, event.target) : undefined;
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

/** Locks or unlocks an input; a locked one closes the on-screen keyboard. */
export function lockInput(input, isLocked) {
  // Browsers leave the keyboard open for a disabled input that has the focus.
  if (isLocked && input === document.activeElement) input.blur();
  input.disabled = isLocked;
}
