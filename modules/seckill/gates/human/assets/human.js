// Solves the human check of a sale in a browser:
//
//   <script src="/assets/human.js"></script>
//
//   const challenge = await (await fetch('/api/v1/seckill/challenge?activity_id=…', { headers })).json();
//   const human_check = await onrushHuman.solve(challenge, { signal });
//
// The work runs in a worker, so that the page stays responsive. The page and both scripts must have the same origin,
// since browsers start no worker from another origin.
'use strict';

globalThis.onrushHuman = (() => {
  const workerURL = document.currentScript.src.replace(/human\.js(?=$|[?#])/, 'human_worker.js');

  // solve returns a promise of the answer to a challenge, for human_check in the body of POST /seckill/path. An
  // activity without a check has the answer undefined. Aborting the signal ends the worker and rejects the promise.
  function solve(challenge, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (challenge.human_check === 'none') {
        resolve(undefined);
        return;
      }
      if (signal && signal.aborted) {
        reject(signal.reason);
        return;
      }
      const worker = new Worker(workerURL);
      const abort = () => end(reject, signal.reason);
      const end = (settle, value) => {
        worker.terminate();
        if (signal) {
          signal.removeEventListener('abort', abort);
        }
        settle(value);
      };
      if (signal) {
        signal.addEventListener('abort', abort);
      }
      worker.onerror = (event) => end(reject, new Error(event.message || 'the worker could not be started'));
      worker.onmessage = ({ data }) => {
        if (data.error) {
          end(reject, new Error(data.error));
        } else {
          end(resolve, encode(challenge, data.number));
        }
      };
      const { algorithm, challenge: hash, salt, maxnumber } = challenge;
      worker.postMessage({ algorithm, challenge: hash, salt, maxnumber });
    });
  }

  // encode returns an answer as ALTCHA's clients send it. All members are ASCII, which btoa needs.
  function encode({ algorithm, challenge, salt, signature }, number) {
    return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));
  }

  return { solve };
})();
