// Settings: how the page looks on this device, the way to one's account, the theater.
import { get, post } from '../base/api.js';
import { h, setChildren } from '../base/dom.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { labeled, quiet } from '../parts/actions.js';
import { card, heading, setting } from '../parts/cards.js';
import { choice, toggle } from '../parts/choices.js';
import { saveLanguage } from '../parts/commands.js';
import { askQuestion } from '../parts/dialogs.js';
import { showFailure } from '../parts/failures.js';
import { follows } from '../parts/follow-others.js';
import { turnOff } from '../parts/everything-off.js';
import { languageChoice } from '../parts/language.js';
import { leavingEnds, setLeavingEnds } from '../parts/leave-player.js';
import { isLoopback, networkOffer } from '../parts/network-answer.js';
import { slider } from '../parts/sliders.js';
import { toast } from '../parts/toasts.js';
import { ageSlider } from './age-slider.js';
import { endSession, logOutButton } from './log-out.js';

export const title = () => t('settings.title');

/** The size of texts, in percent. */
const TEXT_SIZE = { min: 90, max: 140, step: 5, standard: 100 };

export function show(main, { exit, begin }) {
  const mayOperate = theater.mayOperate();
  const thisDevice = h('div', 'col', appearance(), wall(begin), mayOperate ? controller() : null);
  const thisPerson = h('div', 'col', mayOperate ? account() : null, playing());
  main.append(
    heading(title(), logOutButton({ exit, begin })),
    h('div', 'two-col', thisDevice, thisPerson),
  );
}
const group = (text, id, ...settings) => card(text, id, h('div', 'setting-list', settings));

function appearance() {
  const { theme, still, size } = preferences();
  const { standard, ...range } = TEXT_SIZE;
  const themes = ['auto', 'night', 'matinee'].map((id) => [id, t(`theme.${id}`)]);
  const saveTheme = (id) => savePreferences({ theme: id === 'auto' ? undefined : id });
  const saveStill = (isStill) => savePreferences({ still: isStill });
  const sizeSlider = slider({
    label: t('settings.size'),
    ...range,
    value: size ?? standard,
    onchange: (percent) => savePreferences({ size: percent }),
  });
  const isGuest = theater.role() === 'guest';
  return group(
    t('settings.look'),
    'h-look',
    setting(t('settings.language'), '', languageChoice(isGuest ? undefined : saveLanguage)),
    choice(t('settings.theme'), themes, theme ?? 'auto', saveTheme),
    toggle(t('settings.still'), still, saveStill, t('settings.stillNote')),
    sizeSlider.node,
  );
}

function wall(begin) {
  const option = (key) => {
    const save = (isOn) => savePreferences({ [key]: isOn });
    return toggle(t(`wall.${key}`), preferences()[key] ?? true, save, t(`wall.${key}Note`));
  };
  return group(t('wall.title'), 'h-wall', wallTablet(begin), option('dim'), option('awake'));
}
/** Says that this device is a wall tablet, or offers an owner to make it one. */
function wallTablet(begin) {
  if (theater.isWallTablet()) return setting(t('wall.make'), t('wall.is'));
  if (!theater.isOwner()) return null;
  const makeButton = quiet(t('wall.begin'), t('wall.make'), () => askWall(begin));
  return setting(t('wall.make'), t('wall.makeNote'), makeButton);
}
function askWall(begin) {
  let ageLimit;
  const limit = ageSlider(undefined, (age) => {
    ageLimit = age;
  });
  askQuestion(t('wall.question'), t('wall.consequence'), {
    yes: t('wall.begin'),
    more: limit.node,
    run: () => becomeWallTablet(begin, ageLimit).catch(showFailure),
  });
}
/** Gives up the owner's session for one that shows the room, plays and changes nothing else. */
async function becomeWallTablet(begin, ageLimit) {
  const { code } = await post('/guests', { wallTablet: true, name: t('wall.title'), ageLimit });
  await endSession(begin, () => post('/guests/sessions', { pass: code, cookie: true }));
  await begin('/room');
}

/** A link to another screen, with a label for screen readers. */
const link = (href, text, label) => h('a', { class: 'btn quiet', href, 'aria-label': label }, text);

function account() {
  const { name, email } = theater.store.session.user;
  const accountLink = link('/account', t('account.change'), t('account.open'));
  return group(t('account.title'), 'h-account', setting(name, email, accountLink));
}

function playing() {
  const saveFollow = (follow) => savePreferences({ follow });
  const saveKeys = (keys) => savePreferences({ keys });
  const saveKeysVolume = (keysVolume) => savePreferences({ keysVolume });
  return group(
    t('playing.title'),
    'h-playing',
    toggle(t('follow.setting'), follows(), saveFollow, t('follow.note')),
    toggle(t('leaving.setting'), leavingEnds(), setLeavingEnds, t('leaving.settingNote')),
    toggle(t('keys.setting'), preferences().keys, saveKeys, t('keys.note')),
    toggle(t('keys.volume'), preferences().keysVolume, saveKeysVolume, t('keys.volumeNote')),
  );
}

async function scan() {
  const { films, songs, stations } = await post('/library/scan');
  const counts = [
    t('count.films', { count: films }),
    t('count.music', { count: songs }),
    t('count.stations', { count: stations }),
  ];
  toast(`${counts.join(', ')}.`);
}
/** The screens that only owners open. */
const OWNER_SCREENS = [
  { href: '/configuration', title: 'editor.title', about: 'editor.about' },
  { href: '/doctor', title: 'doctor.title', about: 'doctor.about' },
  { href: '/setup', title: 'setup.title', about: 'setup.about' },
];
function ownerScreen({ href, title: titleKey, about }) {
  const open = t('settings.open');
  return setting(t(titleKey), t(about), link(href, open, labeled(open, t(titleKey))));
}
function controller() {
  return group(
    t('settings.theater'),
    'h-theater',
    setting(
      t('settings.scan'),
      t('settings.scanNote'),
      quiet(t('settings.rescan'), t('settings.scan'), scan),
    ),
    setting(
      t('settings.off'),
      t('settings.offNote'),
      quiet(t('do.turnOff'), t('settings.turnOff'), () => turnOff()),
    ),
    theater.isOwner() ? OWNER_SCREENS.map(ownerScreen) : null,
    setting(t('settings.address'), addressText()),
  );
}
/** The address of the page, then that of the network and its certificate as soon as it is known. */
function addressText() {
  const text = h('span', 'mono', location.origin);
  const showFound = ({ address, fingerprint }) => {
    const certificate = fingerprint ? t('settings.certificate', { fingerprint }) : '';
    const shown = address ?? location.origin;
    const offer = isLoopback(shown) && theater.isOwner() ? networkOffer() : '';
    setChildren(text, shown, certificate && h('span', 'block', certificate), offer);
  };
  get('/address').then(showFound, () => {});
  return text;
}
