// Settings: how the page looks on this device, the way to one's account, the theater.
import { h, setChildren } from '../base/dom.js';
import { get, post, remove } from '../base/api.js';
import * as theater from '../model/store.js';
import { actionButton, labeled, quiet } from '../parts/actions.js';
import { card, heading, setting } from '../parts/cards.js';
import { choice, toggle } from '../parts/choices.js';
import { askQuestion } from '../parts/dialogs.js';
import { showFailure } from '../parts/failures.js';
import { slider } from '../parts/sliders.js';
import { toast } from '../parts/toasts.js';
import { ageSlider } from './people.js';
import { saveLanguage } from '../parts/commands.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { follows } from '../parts/follow-others.js';
import { leavingEnds, setLeavingEnds } from '../parts/leave-player.js';
import { languageChoice } from '../parts/language.js';
import { t } from '../base/text.js';

export const title = () => t('settings.title');

export function show(main, { exit, begin }) {
  const logout = actionButton('', async () => {
    const kept = preferences();
    await endSession(begin, () => remove('/sessions/current'));
    // The answer clears the browser's storage. Keep the look: it belongs to this device, not to the account.
    savePreferences(kept);
    await exit();
  }, t('settings.logOut'));
  main.append(
    heading(title(), logout),
    h(
      'div',
      'two-col',
      h('div', 'col', appearance(), wall(begin), theater.mayOperate() ? controller() : null),
      h('div', 'col', theater.mayOperate() ? account() : null, playing()),
    ),
  );
}
/** Ends the session with a request. Stops the event stream first: its next request would get 401 before the answer arrives, and log the page out. */
async function endSession(begin, request) {
  theater.unfollow();
  try {
    await request();
  } catch (failure) {
    if (failure.status !== 401) await begin('/settings');
    throw failure;
  }
}
const group = (text, id, ...inside) => card(text, id, h('div', 'setting-list', inside));

function appearance() {
  const set = (theme) => savePreferences({ theme: theme === 'auto' ? undefined : theme });
  return group(
    t('settings.look'),
    'h-look',
    setting(
      t('settings.language'),
      '',
      languageChoice(theater.role() === 'guest' ? undefined : saveLanguage),
    ),
    choice(
      t('settings.theme'),
      ['auto', 'night', 'matinee'].map((id) => [id, t(`theme.${id}`)]),
      preferences().theme ?? 'auto',
      set,
    ),
    toggle(
      t('settings.still'),
      preferences().still,
      (still) => savePreferences({ still }),
      t('settings.stillNote'),
    ),
    slider({
      label: t('settings.size'),
      min: 90,
      max: 140,
      step: 5,
      value: preferences().size ?? 100,
      onchange: (size) => savePreferences({ size }),
    }).node,
  );
}
function wall(begin) {
  const option = (key) =>
    toggle(
      t(`wall.${key}`),
      preferences()[key] ?? true,
      (on) => savePreferences({ [key]: on }),
      t(`wall.${key}Note`),
    );
  return group(
    t('wall.title'),
    'h-wall',
    theater.isWallTablet() ? setting(t('wall.make'), t('wall.is')) : theater.isOwner()
      ? setting(
        t('wall.make'),
        t('wall.makeNote'),
        quiet(t('wall.begin'), t('wall.make'), () => askWall(begin)),
      )
      : null,
    option('dim'),
    option('awake'),
  );
}
function askWall(begin) {
  let ageLimit;
  askQuestion(t('wall.question'), t('wall.consequence'), {
    yes: t('wall.begin'),
    more: ageSlider(undefined, (age) => {
      ageLimit = age;
    }).node,
    run: () => becomeWallTablet(begin, ageLimit).catch(showFailure),
  });
}
/** Gives up the owner's session for one that shows the room, plays and changes nothing else. */
async function becomeWallTablet(begin, ageLimit) {
  const { code } = await post('/guests', { wallTablet: true, name: t('wall.title'), ageLimit });
  await endSession(begin, () => post('/guests/sessions', { pass: code, cookie: true }));
  await begin('/room');
}
function account() {
  const { name, email } = theater.store.session.user;
  return group(
    t('account.title'),
    'h-account',
    setting(
      name,
      email,
      h(
        'a',
        { class: 'btn quiet', href: '/account', 'aria-label': t('account.open') },
        t('account.change'),
      ),
    ),
  );
}
function playing() {
  return group(
    t('playing.title'),
    'h-playing',
    toggle(
      t('follow.setting'),
      follows(),
      (follow) => savePreferences({ follow }),
      t('follow.note'),
    ),
    toggle(t('leaving.setting'), leavingEnds(), setLeavingEnds, t('leaving.settingNote')),
    toggle(
      t('keys.setting'),
      preferences().keys,
      (keys) => savePreferences({ keys }),
      t('keys.note'),
    ),
  );
}
const open = (href, label) =>
  h(
    'a',
    { class: 'btn quiet', href, 'aria-label': labeled(t('settings.open'), t(label)) },
    t('settings.open'),
  );
function controller() {
  const address = h('span', 'mono', location.origin),
    list = group(
      t('settings.theater'),
      'h-theater',
      setting(
        t('settings.scan'),
        t('settings.scanNote'),
        quiet(t('settings.rescan'), t('settings.scan'), async () => {
          const found = await post('/library/scan');
          toast(
            `${
              [['films', found.films], ['music', found.songs], ['stations', found.stations]].map((
                [kind, count],
              ) => t(`count.${kind}`, { count })).join(', ')
            }.`,
          );
        }),
      ),
      setting(
        t('settings.off'),
        t('settings.offNote'),
        quiet(t('do.turnOff'), t('settings.turnOff'), async () => {
          theater.saveRun((await post('/off')).run);
          toast(t('settings.offDone'));
        }),
      ),
      theater.isOwner()
        ? [
          setting(t('editor.title'), t('editor.about'), open('/configuration', 'editor.title')),
          setting(t('doctor.title'), t('doctor.about'), open('/doctor', 'doctor.title')),
          setting(t('setup.title'), t('setup.about'), open('/setup', 'setup.title')),
        ]
        : null,
      setting(t('settings.address'), address),
    );
  get('/address').then((found) => {
    setChildren(
      address,
      found.address ?? location.origin,
      found.fingerprint
        ? h('span', 'block', t('settings.certificate', { fingerprint: found.fingerprint }))
        : null,
    );
  }, () => {});
  return list;
}
