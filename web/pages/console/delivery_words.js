// What became of a delivery to an endpoint, in words: the server stores what the network said, in English.

// causes are what the errors of the network, and of the server itself, mean. The first that fits counts.
/** @type {[string, RegExp][]} */
const causes = [
  ['deleted', /endpoint was deleted/],
  ['private', /address is in a private network/],
  ['certificate', /certificate|x509/],
  ['tls', /tls:|HTTP response to HTTPS client/],
  ['name', /no such host|server misbehaving|lookup /],
  ['late', /no answer in time|timeout|timed out|deadline exceeded/],
  ['refused', /connection refused/],
  ['closed', /\bEOF\b|connection reset|broken pipe|closed network connection/],
  ['settings', /URL can't be read|secret of the endpoint/],
];

// outcomes are what the codes of answers mean.
/** @type {[string, (code: number) => boolean][]} */
const outcomes = [
  ['taken', (code) => code < 300],
  ['moved', (code) => code < 400],
  ['unauthorized', (code) => code === 401 || code === 403],
  ['not_found', (code) => code === 404],
  ['gone', (code) => code === 410],
  ['slower', (code) => code === 429],
  ['not_taken', (code) => code < 500],
  ['broken', () => true],
];

// outcomeOf names what became of a delivery, as the texts that begin with answer_ do; undefined if nothing was sent.
export function outcomeOf({ status_code: code, error = '' }) {
  if (code) return outcomes.find(([, fits]) => fits(code))[0];
  if (!error) return undefined;
  return causes.find(([, fits]) => fits.test(error))?.[0] ?? 'unreachable';
}
