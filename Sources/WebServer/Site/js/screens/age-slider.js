// The choice of the highest age rating that a person may watch.
import { slider } from '../parts/sliders.js';
import { t } from '../base/text.js';

/** The end of the slider, in years, which stands for no limit. */
export const NO_AGE_LIMIT = 21;

/** @param onchange gets the age in years, or `undefined` for no limit */
export const ageSlider = (age, onchange) =>
  slider({
    label: t('people.limit'),
    min: 0,
    max: NO_AGE_LIMIT,
    value: age ?? NO_AGE_LIMIT,
    says: (years) => years >= NO_AGE_LIMIT ? t('people.noLimit') : t('people.age', { age: years }),
    onchange: (years) => onchange(years >= NO_AGE_LIMIT ? undefined : years),
  });
