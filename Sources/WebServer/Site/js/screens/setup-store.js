// What the setup of devices keeps: the findings of the last search, and in this browser the entries
// of the devices whose test was answered with yes.
import * as theater from '../model/store.js';
import { formatOnOneLine } from '../parts/configuration-text.js';

const STORAGE_KEY = 'theater-tested';
/** The answer of the last search, with the session that searched. */
let lastSearch;

export function saveFindings(answer) {
  lastSearch = { ...answer, session: theater.store.session };
}
/** The answer of the last search of this session; `undefined` before the first. */
export const lastFindings = () =>
  lastSearch?.session === theater.store.session ? lastSearch : undefined;
/** The findings that a device could be. */
export const findingsFor = ({ role }) =>
  lastFindings()?.findings.filter(({ roles }) => roles.includes(role)) ?? [];

/** The entries of tested devices; none if the browser stores nothing, or no JSON. */
export function testedEntries() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY)) ?? {};
  } catch {
    return {};
  }
}
export function saveTested({ id, entry }) {
  const entries = { ...testedEntries(), [id]: formatOnOneLine(entry) };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(entries));
  } catch {
    // Then only this step shows the result, until it is drawn again.
  }
}
/** Whether a device was tested with its present entry. */
export const isTested = ({ id, entry }) => testedEntries()[id] === formatOnOneLine(entry);
export const isSimulated = ({ entry }) => entry.plugin === 'Simulated';
