// The entry of a device in the text of devices.json. Every other byte of the text stays.

/** Returns a value as JSON on one line. */
export function formatOnOneLine(value) {
  if (Array.isArray(value)) return `[${value.map(formatOnOneLine).join(', ')}]`;
  if (!value || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) =>
    `${JSON.stringify(key)}: ${formatOnOneLine(one)}`
  );
  return `{${members.join(', ')}}`;
}
/**
 * Returns the text with another entry of a device.
 * @param text valid JSON
 * @throws Error if it does not have the device
 */
export function withEntry(text, device, entry) {
  const [start, end] = rangeOf(text, ['devices', device]);
  return text.slice(0, start) + formatOnOneLine(entry) + text.slice(end);
}
/**
 * Returns the text with the entry of a further device after the others.
 * @param text valid JSON
 */
export function withNewEntry(text, device, entry) {
  const [, end] = rangeOf(text, ['devices']);
  const before = text.slice(0, end - 1).trimEnd();
  const after = text.slice(before.length);
  const comma = before.endsWith('{') ? '' : ',';
  return `${before}${comma}\n    ${JSON.stringify(device)}: ${formatOnOneLine(entry)}${after}`;
}

/**
 * Returns the text with another value of a member of a section; the section and the member are
 * added where they are missing.
 * @param text valid JSON
 */
export function withMember(text, section, member, value) {
  const known = JSON.parse(text)[section];
  if (known === undefined) return withSection(text, section, { [member]: value });
  if (Object.hasOwn(known, member)) {
    const [start, end] = rangeOf(text, [section, member]);
    return text.slice(0, start) + formatOnOneLine(value) + text.slice(end);
  }
  const [start, end] = rangeOf(text, [section]);
  return text.slice(0, start) + formatOnOneLine({ ...known, [member]: value }) + text.slice(end);
}
/** Returns the text with a further section before the others. */
function withSection(text, section, value) {
  const start = text.indexOf('{') + 1;
  const comma = text.slice(start).trimStart().startsWith('}') ? '' : ',';
  const added = `\n  ${JSON.stringify(section)}: ${formatOnOneLine(value)}${comma}`;
  return text.slice(0, start) + added + text.slice(start);
}

/** Where the value at the end of a path of keys begins and ends. */
function rangeOf(text, keys) {
  const scanner = new Scanner(text);
  for (const key of keys) scanner.enterMember(key);
  const start = scanner.position;
  scanner.skipValue();
  return [start, scanner.position];
}

/** Moves through valid JSON. */
class Scanner {
  constructor(text) {
    this.text = text;
    this.position = 0;
  }
  get character() {
    return this.text[this.position];
  }
  /** Moves from the start of an object to the start of one of its values. */
  enterMember(wanted) {
    this.skipSpace();
    this.skipCharacter(); // the brace
    for (;;) {
      this.skipSpace();
      const isEnd = this.character !== '"';
      if (isEnd) throw new Error(`no ${wanted} in the text`);
      const key = this.readString();
      this.skipSpace();
      this.skipCharacter(); // the colon
      this.skipSpace();
      if (key === wanted) return;
      this.skipValue();
      this.skipSpace();
      this.skipCharacter(); // the comma
    }
  }
  readString() {
    const start = this.position;
    this.skipString();
    return JSON.parse(this.text.slice(start, this.position));
  }
  skipString() {
    this.skipCharacter();
    while (this.character !== '"') this.position += this.character === '\\' ? 2 : 1;
    this.skipCharacter();
  }
  skipValue() {
    let depth = 0;
    do {
      if (this.character === '"') {
        this.skipString();
        continue;
      }
      if ('{['.includes(this.character)) depth += 1;
      if ('}]'.includes(this.character)) depth -= 1;
      this.skipCharacter();
    } while (depth || !/[\s,}\]]/.test(this.character));
  }
  skipSpace() {
    while (/\s/.test(this.character)) this.skipCharacter();
  }
  skipCharacter() {
    this.position += 1;
  }
}
