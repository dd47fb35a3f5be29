// What the registration asks of the controller: the rules of the fields, whether a code or an
// e-mail address may be used, and the new account with its session.
import { get, postOpen } from '../base/api.js';
import { entranceFacts } from '../parts/entrance-facts.js';
import { t } from '../base/text.js';
import { declaredForm } from '../parts/declared-forms.js';

/** Milliseconds without a keystroke after which the controller is asked about a text. */
const TYPING_PAUSE = 300;
/** The address in the question that only shows whether a code is valid. */
const UNUSED_EMAIL = 'nobody@example.org';

/** Loads the form of the registration. */
export async function loadForm() {
  const form = await declaredForm('registration');
  const fields = form.fields.map((one) => one.name === 'email' ? withFreeEmail(one) : one);
  return { ...form, fields };
}
/** Adds the rule that an address is free, about which only holders of a code may ask. */
function withFreeEmail(declaration) {
  const freeRule = {
    rule: 'asked',
    question: 'emailFree',
    message: t('error.taken'),
    statement: t('rule.asked'),
  };
  const others = declaration.rules.filter(({ rule }) => rule !== 'asked');
  return { ...declaration, rules: [...others, freeRule] };
}
/** Loads the passwords that are guessed first. */
export async function loadBlocklist() {
  const { entries } = await get('/validation/blocklist', { allows401: true });
  return new Set(entries);
}

/** The requests of one registration, each with the code that permits it. */
export class RegistrationRequests {
  constructor(code) {
    this.code = code;
    /** The key of the code in a request: `invitation` or `setupCode`. */
    this.codeKind = 'invitation';
    /** Whether the person was logged in after the registration. */
    this.hasSession = false;
    this.cancellations = new Map();
  }
  /** Does the work of an effect of RegistrationFlow; `answer` gets its result as an event. */
  run(effect, answer) {
    switch (effect.start) {
      case 'withdraw':
        this.cancellations.get(effect.number)?.();
        break;
      case 'ask':
        this.ask(effect, answer);
        break;
      default:
        this.register(effect, answer);
    }
  }
  /** Asks a question about a text once the person has stopped typing. */
  ask({ field, question, number, text }, answer) {
    const abortion = new AbortController();
    const ticket = { field, number };
    const request = async () => {
      try {
        const result = await this.validate({ question, text }, abortion.signal);
        answer({ type: 'answered', ticket, answer: result.answer });
      } catch (failure) {
        if (failure.name !== 'AbortError') answer({ type: 'answered', ticket, failure });
      }
    };
    const timer = setTimeout(request, TYPING_PAUSE);
    this.cancellations.set(number, () => {
      clearTimeout(timer);
      abortion.abort();
    });
  }
  async register({ name, email, password }, answer) {
    try {
      await postOpen('/accounts', { name, email, password, [this.codeKind]: this.code });
      this.hasSession = await logIn(email, password);
      answer({ type: 'registered', person: name });
    } catch (failure) {
      answer({ type: 'registered', failure });
    }
  }
  /** Finds out whether a code is valid, and whether it is an invitation's or the first owner's. */
  async checkCode(code) {
    const { needsOwner } = await entranceFacts();
    if (needsOwner === undefined) await this.findKind(code);
    else await this.checkKind(needsOwner ? 'setupCode' : 'invitation', code);
    this.code = code;
  }
  async checkKind(codeKind, code) {
    await askWithCode(codeKind, code);
    this.codeKind = codeKind;
  }
  /** Tries both kinds of codes at a controller that does not say whether it has an owner. */
  async findKind(code) {
    try {
      await this.checkKind('invitation', code);
    } catch (failure) {
      if (failure.code !== 'codeInvalid') throw failure;
      await this.checkKind('setupCode', code).catch(() => {
        throw failure;
      });
    }
  }
  validate(question, signal) {
    const body = { ...question, [this.codeKind]: this.code };
    return postOpen('/validation/answers', body, { signal });
  }
}

const askWithCode = (codeKind, code) =>
  postOpen('/validation/answers', { question: 'emailFree', text: UNUSED_EMAIL, [codeKind]: code });

/** Logs in with the address and password that were just entered; returns whether that succeeded. */
const logIn = (email, password) =>
  postOpen('/sessions', { email, password, cookie: true }).then(() => true, () => false);
