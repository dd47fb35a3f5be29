// The permissions of access tokens, in words.
import { activityNamed, sceneNamed } from '../model/activities.js';
import { device } from '../model/store.js';
import { activityTitle, entryTitle, nameOf } from '../model/words.js';
import { hasText, t } from '../base/text.js';

/** The path of one's own tokens, and of the permissions that one may give. */
export const OWN_TOKENS = '/account/tokens';

/** The name of a permission of a token, such as `scene:NAME`. */
export function nameOfPermission(word) {
  if (hasText(`tokens.word.${word}`)) return t(`tokens.word.${word}`);
  const [kind, name] = word.split(':');
  switch (kind) {
    case 'scene':
      return t('tokens.scene', { name: entryTitle(sceneNamed(name) ?? { name }) });
    case 'activity':
      return t('tokens.activity', { name: activityTitle(activityNamed(name) ?? { name }) });
    case 'device': {
      const [id, command] = name.split('/');
      const known = device(id);
      return t('tokens.device', { device: known ? nameOf(known) : id, command });
    }
    default:
      return word;
  }
}
