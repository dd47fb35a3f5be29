// The rows of guest passes and of unused invitations, each with a button that revokes it.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, remove } from '../base/api.js';
import { quiet } from '../parts/actions.js';
import { twoLines } from '../parts/cards.js';
import { askQuestion } from '../parts/dialogs.js';
import { showFailure } from '../parts/failures.js';
import { toast } from '../parts/toasts.js';
import { activityNamed } from '../model/activities.js';
import { activityTitle } from '../model/words.js';
import { t } from '../base/text.js';
import { relativeTime } from '../base/times.js';

const activityName = (name) => activityTitle(activityNamed(name) ?? { name });

export function guestRow(guest, reload) {
  const limits = t('people.pass', {
    activities: guest.activities.map(activityName).join(', '),
    percent: guest.volumeLimit,
    when: relativeTime(guest.expires),
  });
  const details = [guest.wallTablet ? t('wall.title') : limits];
  if (guest.ageLimit !== undefined) details.push(t('people.upTo', { age: guest.ageLimit }));
  const revoke = revokeButton({
    label: t('people.revokePass', { name: guest.name }),
    question: t('people.passQuestion'),
    address: path`/guests/${guest.id}`,
    message: t('people.passRevoked'),
    reload,
  });
  return row('link', guest.name, details.join(' · '), revoke);
}
export function invitationRow(invitation, reload) {
  const details = t('people.unused', { when: relativeTime(invitation.expires) });
  const revoke = revokeButton({
    label: t('people.revokeInvitation'),
    question: t('people.invitationQuestion'),
    address: path`/invitations/${invitation.id}`,
    message: t('people.invitationRevoked'),
    reload,
  });
  return row('user', t(`people.as.${invitation.role}`), details, revoke);
}
const row = (picture, name, details, button) =>
  h(
    'li',
    'row still-row',
    icon(picture, { class: 'row-icon soft' }),
    twoLines(name, details),
    button,
  );
function revokeButton({ label, question, address, message, reload }) {
  const ask = () =>
    askQuestion(question, t('people.revocation'), {
      yes: t('people.revoke'),
      danger: true,
      run: () => removeAndReload(address, message, reload),
    });
  return quiet(t('people.revoke'), label, ask);
}
/** Deletes an account, a pass or an invitation, then says so and reads the lists again. */
export async function removeAndReload(address, message, reload) {
  try {
    await remove(address);
  } catch (failure) {
    showFailure(failure);
    return;
  }
  toast(message);
  reload();
}
