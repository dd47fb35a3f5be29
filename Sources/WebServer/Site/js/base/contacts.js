// Validation of e-mail addresses and phone numbers, as docs/validation.md defines it.
const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_PHONE_BYTES = 64;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`);
const DIGITS = /^[1-9][0-9]{6,14}$/;

export const isEmail = (text) =>
  text.length <= LONGEST_EMAIL && ADDRESS.test(text) && text.indexOf('@') <= LONGEST_LOCAL_PART;

export function isPhone(text) {
  // "(0)" is dialled only within the country.
  if (!text.startsWith('+') || text.includes('(0)')) return false;
  if (new TextEncoder().encode(text).length > LONGEST_PHONE_BYTES) return false;
  return DIGITS.test(text.slice(1).replace(/[ .()-]/g, ''));
}
