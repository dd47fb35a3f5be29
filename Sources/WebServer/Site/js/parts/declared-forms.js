// The forms of accounts as the controller declares them, in the reader's language.
import { get } from '../base/api.js';
import { withMessages } from '../model/rules.js';

/** @param name `registration`, `contacts` or `accessToken` */
export async function declaredForm(name) {
  const { forms } = await get('/validation', { allows401: true });
  const form = forms.find((one) => one.name === name);
  return { ...form, fields: form.fields.map(withMessages) };
}
