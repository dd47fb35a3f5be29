// The permissions of access tokens, in words.
import { sceneTitle } from '../parts/runs.js';
import { hasText, t } from '../base/text.js';

/** The path of one's own tokens, and of the permissions that one may give. */
export const OWN_TOKENS = '/account/tokens';

/** The name of a permission of a token, such as `scene:watch-film`. */
export function nameOfPermission(word) {
  if (hasText(`tokens.word.${word}`)) return t(`tokens.word.${word}`);
  const [kind, name] = word.split(':');
  switch (kind) {
    case 'scene':
      return t('tokens.scene', { name: sceneTitle({ name }) });
    case 'activity':
      return t('tokens.activity', { name: hasText(`kind.${name}`) ? t(`kind.${name}`) : name });
    case 'device': {
      const [device, command] = name.split('/');
      return t('tokens.device', { device, command });
    }
    default:
      return word;
  }
}
