// Solves a proof of work in a worker: a challenge comes as a message, and {number} goes back, or {error}.
//
// SHA-256 is written here since crypto.subtle is missing on pages without TLS, and slow for many short texts.
'use strict';

// The constants of FIPS 180-4, sections 4.2.2 and 5.3.3.
// prettier-ignore
const ROUND = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);
const words = new Int32Array(64); // the message schedule

// compress changes state by the 64 bytes of buf at offset.
function compress(state, buf, offset) {
  const w = words;
  for (let i = 0; i < 16; i++) {
    const at = offset + 4 * i;
    w[i] = (buf[at] << 24) | (buf[at + 1] << 16) | (buf[at + 2] << 8) | buf[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

// pad writes the end of a message of length bytes into buf, and returns how many bytes the message has with it.
function pad(buf, length) {
  const padded = (length + 9 + 63) & ~63;
  buf.fill(0, length, padded);
  buf[length] = 0x80;
  const bits = length * 8; // below 2^16
  buf[padded - 2] = bits >>> 8;
  buf[padded - 1] = bits & 0xff;
  return padded;
}

// increment adds 1 to the decimal number in buf from start to end, and returns its new end.
function increment(buf, start, end) {
  for (let at = end - 1; at >= start; at--) {
    if (buf[at] < 0x39) {
      buf[at]++;
      return end;
    }
    buf[at] = 0x30;
  }
  buf[start] = 0x31; // 99 became 00, and is 100
  buf[end] = 0x30;
  return end + 1;
}

// parseHash returns the 8 words of a SHA-256 in hex.
function parseHash(hex) {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new Error('the challenge is not a SHA-256 in hex');
  }
  return Int32Array.from({ length: 8 }, (_, i) => parseInt(hex.slice(8 * i, 8 * i + 8), 16));
}

// find returns the number from 0 to maxnumber for which SHA-256(salt + number) is the challenge.
function find({ algorithm, challenge, salt, maxnumber }) {
  if (algorithm !== 'SHA-256') {
    throw new Error('the algorithm of the challenge is not SHA-256');
  }
  if (typeof salt !== 'string' || salt.length > 1024 || /[^\x20-\x7e]/.test(salt)) {
    throw new Error('the salt of the challenge is not a short ASCII text');
  }
  const wanted = parseHash(challenge);
  const start = salt.length;
  const buf = new Uint8Array(start + 128);
  for (let i = 0; i < start; i++) {
    buf[i] = salt.charCodeAt(i);
  }
  buf[start] = 0x30;
  let end = start + 1;
  let padded = pad(buf, end);
  const state = new Int32Array(8);
  for (let number = 0; number <= maxnumber; number++) {
    state.set(START);
    for (let offset = 0; offset < padded; offset += 64) {
      compress(state, buf, offset);
    }
    if (state[0] === wanted[0] && state.every((word, i) => word === wanted[i])) {
      return number;
    }
    const next = increment(buf, start, end);
    if (next !== end) {
      end = next;
      padded = pad(buf, end);
    }
  }
  throw new Error('no number solves the challenge');
}

self.onmessage = (event) => {
  try {
    self.postMessage({ number: find(event.data) });
  } catch (err) {
    self.postMessage({ error: err.message });
  }
};
