// Jobs in words.
import { words } from './parts.js';

// stops says what a pause of a job stops.
export const stops = (job) => words('stops', job);

// jobText is the name of a job in words.
export const jobText = (job) => words('job', job);
