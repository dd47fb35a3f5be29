// Validation of e-mail addresses and phone numbers, as docs/validation.md defines it.
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+",
  LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`);
export const isEmail = (text) =>
  text.length <= 254 && ADDRESS.test(text) && text.indexOf('@') <= 64;
export function isPhone(text) {
  if (!text.startsWith('+') || new TextEncoder().encode(text).length > 64 || text.includes('(0)')) {
    return false;
  }
  return /^[1-9][0-9]{6,14}$/.test(text.slice(1).replace(/[ .()-]/g, ''));
}
