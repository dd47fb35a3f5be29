// The form for a new access token without the drawing: AccessTokenScreen of the controller's
// AccountFlows in JavaScript. flow-transcripts.json holds both to the same results.
import { FormModel } from './form-model.js';
import { emit } from './flow.js';

const USUAL_DAYS = '90';

export class AccessTokenForm {
  /** @param declared the controller's form `accessToken` */
  constructor({ fields, groups }) {
    this.form = new FormModel(fields, { groups, values: { days: USUAL_DAYS } });
    this.token = null;
  }
  get isOver() {
    return this.token !== null;
  }
  get isLoading() {
    return false;
  }
  get canSubmit() {
    return !this.isOver && this.form.isEnabled('create');
  }
  /** Lets the form be submitted again, after the controller has refused the token. */
  reopen() {
    this.token = null;
  }

  receive(event) {
    if (this.isOver) return [];
    const couldSubmit = this.canSubmit;
    this.apply(event);
    return [
      ...(this.canSubmit === couldSubmit ? [] : [emit('canSubmit', this.canSubmit)]),
      ...(this.token ? [emit('chosen', this.token)] : []),
    ];
  }
  apply({ type, field, text }) {
    if (type === 'typed') this.form.type(field, text);
    else if (type === 'left') this.form.leave(field);
    else if (type === 'submit') {
      this.form.submit(this.form.groups.get('create').fields);
      if (this.form.isEnabled('create')) this.token = this.typed;
    }
  }
  get typed() {
    const may = this.form.text('permissions').split(/[, ]/).filter(Boolean);
    if (!may.length) return null;
    return { name: this.form.text('name'), may, days: Number(this.form.text('days')) };
  }
}
