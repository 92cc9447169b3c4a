// The server's errors about fields, in the reader's language.
import { has, t } from '../shared/texts.js';

// Rules with values of their own.
/** @type {[RegExp, string, string[]][]} */
const rules = [
  [/^must have at most (\d+) characters?$/, 'wrong_longer', ['most']],
  [/^must have at least (\d+) characters?$/, 'wrong_shorter', ['least']],
  [/must be (?:\S+ or )?from (\S+) to (\S+)$/, 'wrong_between', ['least', 'most']],
  [/must be (?:\S+ or )?at least (\S+)$/, 'wrong_less', ['least']],
  [/must be (?:\S+ or )?at most (\S+)$/, 'wrong_more', ['most']],
  [/^must not be after (\S+), 24 hours after the time to pay/, 'wrong_hold', ['most']],
];

const otherHost = /^must be a path on this host, such as \S+?(?:, or a URL of (.+))?: the shop shows pictures of no/;

// sentence describes an error, in the reader's language if there is a text for it.
export function sentence(detail) {
  const [picture, hosts] = otherHost.exec(detail) ?? [];
  if (picture) return t(hosts ? 'wrong_picture_hosts' : 'wrong_picture_host', { hosts });
  for (const [rule, key, names] of rules) {
    const values = rule.exec(detail)?.slice(1);
    if (values) return t(key, Object.fromEntries(names.map((name, i) => [name, values[i]])));
  }
  const key = `wrong_${detail.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`;
  return has(key) ? t(key) : detail;
}

// wrongFields takes an error apart: texts at the fields of a form by their names, and the error without what they say,
// if anything is left of it. of is the name of a field in the request, where it has another one.
export function wrongFields(error, fields) {
  const texts = {};
  const rest = [];
  for (const wrong of error?.problem?.errors ?? []) {
    const at = fields.find(({ name, of }) => (of ?? name) === wrong.field);
    if (at) texts[at.name] ??= sentence(wrong.detail);
    else rest.push(wrong);
  }
  if (Object.keys(texts).length === 0) return { texts, rest: error };
  return { texts, rest: rest.length > 0 ? { code: error.code, problem: { errors: rest } } : undefined };
}
