// What the controller tells everybody before a login: whether it has an owner, and how it can
// deliver codes.
import { get } from '../base/api.js';

/** Milliseconds for which a form waits; without an answer it shows all that it can do. */
const LONGEST_WAIT = 1500;

/**
 * Asks for `needsOwner`, and `delivers`, the ways in which codes are sent: `email`, `sms`. Both are
 * undefined where the controller does not say so. Each question is asked anew: the first owner may
 * have registered on this page meanwhile.
 */
export const entranceFacts = () =>
  get('/health', { allows401: true, signal: AbortSignal.timeout(LONGEST_WAIT) }).catch(() => ({}));
/** Whether codes can be sent to people. */
export const canDeliver = ({ delivers }) => !delivers || delivers.length > 0;
