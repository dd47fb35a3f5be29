// The sheet that creates an invitation or a guest pass, and the new link, which is shown once.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, post } from '../base/api.js';
import { actionButton } from '../parts/actions.js';
import { segments } from '../parts/choices.js';
import { sheet } from '../parts/dialogs.js';
import { slider } from '../parts/sliders.js';
import { toast } from '../parts/toasts.js';
import { withProof } from '../parts/form-sheet.js';
import { isLoopback, networkOffer } from '../parts/network-answer.js';
import { qrOfRows } from '../base/qr.js';
import { ageSlider } from './age-slider.js';
import { activityTitle } from '../model/words.js';
import { t, unit } from '../base/text.js';

/** Seconds for which an invitation is valid: 7 days. */
const INVITATION_VALIDITY = 7 * 86_400;
const SECONDS_PER_HOUR = 3600;
/** The longest validity of a guest pass, in hours. */
const LONGEST_PASS = 48;
/** The controller's limit on the length of a name. */
const LONGEST_NAME = 100;
/** The limits of a new guest pass: a volume in percent and a validity in hours. */
const USUAL_PASS = { volumeLimit: 40, hours: 6 };

export async function openInviteSheet(reload) {
  const { activities } = await get('/activities');
  const pass = passForm(activities);
  const about = h('p', 'soft');
  let role = 'member';
  const showRole = (next) => {
    role = next;
    pass.node.hidden = role !== 'guest';
    about.textContent = t(`people.about.${role}`);
  };
  const create = async () => {
    const created = role === 'guest'
      ? await post('/guests', pass.read())
      : await withProof(() => post('/invitations', { role, validFor: INVITATION_VALIDITY }));
    box.close();
    reload();
    showLink(created, role);
  };
  const roles = ['member', 'guest', 'owner'].map((one) => [one, t(`role.${one}`)]);
  const content = h(
    'div',
    'controls',
    segments(t('library.kind'), roles, role, showRole),
    about,
    pass.node,
    actionButton('primary big wide', create, icon('link'), t('people.create')),
  );
  const box = sheet(t('people.inviting'), content);
  showRole(role);
}

/** The limits of a guest pass; `read()` returns the request that creates it. */
function passForm(activities) {
  let { volumeLimit, hours } = USUAL_PASS;
  let ageLimit;
  const chosen = new Set(activities.map(({ name }) => name));
  const name = h('input', {
    class: 'plain wide',
    'aria-label': t('people.passName'),
    placeholder: t('people.passExample'),
    maxlength: LONGEST_NAME,
  });
  const volume = slider({
    label: t('people.loudest'),
    value: volumeLimit,
    onchange: (percent) => {
      volumeLimit = percent;
    },
  });
  const age = ageSlider(undefined, (years) => {
    ageLimit = years;
  });
  const validity = slider({
    label: t('people.valid'),
    min: 1,
    max: LONGEST_PASS,
    value: hours,
    says: (count) => unit(count, 'hour'),
    onchange: (count) => {
      hours = count;
    },
  });
  const node = h(
    'div',
    { class: 'controls', hidden: true },
    name,
    h('p', 'label', t('people.may')),
    h('div', 'control-keys', activities.map((activity) => activityButton(activity, chosen))),
    volume.node,
    age.node,
    validity.node,
  );
  const read = () => ({
    activities: [...chosen],
    volumeLimit,
    ageLimit,
    validFor: hours * SECONDS_PER_HOUR,
    name: name.value.trim() || t('role.guest'),
  });
  return { node, read };
}
function activityButton(activity, chosen) {
  const { name } = activity;
  const flip = () => {
    const isChosen = !chosen.has(name);
    button.setAttribute('aria-pressed', isChosen);
    if (isChosen) chosen.add(name);
    else chosen.delete(name);
  };
  const button = btn('', flip, activityTitle(activity));
  button.setAttribute('aria-pressed', 'true');
  return button;
}

/** Shows the link once: the controller keeps only its digest. */
function showLink({ link, code, qr }, role) {
  const isPass = role === 'guest';
  const address = link ?? `${location.origin}/${isPass ? 'guest' : 'register'}#${code}`;
  const addressInput = h('input', {
    class: 'plain wide mono',
    readonly: true,
    value: address,
    'aria-label': t('people.link'),
    onfocus: () => addressInput.select(),
  });
  const copyButton = btn(
    'primary wide',
    () => copyFrom(addressInput),
    icon('link'),
    t('people.copy'),
  );
  const content = h(
    'div',
    'controls',
    h('p', 'soft', t('people.once')),
    qr && !isLoopback(address) ? qrOfRows(qr, t('people.qr')) : null,
    addressInput,
    isLoopback(address) ? networkOffer() : null,
    copyButton,
    navigator.share ? shareButton(address) : null,
    h('p', 'small', t('people.code'), ' ', h('span', 'mono', code)),
  );
  sheet(t(isPass ? 'people.guestLink' : 'people.invitationLink'), content);
}
async function copyFrom(input) {
  try {
    await navigator.clipboard.writeText(input.value);
    toast(t('people.copied'));
  } catch {
    input.focus();
    input.select();
    toast(t('people.copyByHand'));
  }
}
function shareButton(address) {
  // A person who closes the system's dialog rejects the promise.
  const share = () => navigator.share({ url: address, title: 'Home Theater' }).catch(() => {});
  return btn('wide', share, t('people.share'));
}
