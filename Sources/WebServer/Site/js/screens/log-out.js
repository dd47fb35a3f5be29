// The end of a session, and the button for it.
import { remove } from '../base/api.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { actionButton } from '../parts/actions.js';

/**
 * Ends the session with a request. Stops the event stream first: its next request would get 401
 * before the answer arrives, and log the page out. After a failure the theater begins again at the
 * same address.
 */
export async function endSession(begin, request) {
  theater.unfollow();
  try {
    await request();
  } catch (failure) {
    if (failure.status !== 401) await begin(location.pathname);
    throw failure;
  }
}
/** The button that ends the person's session and leads to the login. */
export function logOutButton({ exit, begin }) {
  const logOut = async () => {
    const kept = preferences();
    await endSession(begin, () => remove('/sessions/current'));
    // The answer clears the browser's storage. The look belongs to this device, not to the account.
    savePreferences(kept);
    await exit();
  };
  return actionButton('', logOut, t('settings.logOut'));
}
