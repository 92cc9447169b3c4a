// Going to another view, which the view that is left may stop.

export const leaving = 'leaving'; // the event, with the address in its detail

// mayLeave asks the view whether the reader may go to an address such as #/sales.
export const mayLeave = (hash) => dispatchEvent(new CustomEvent(leaving, { detail: hash, cancelable: true }));

// leaveFor goes there, if the reader may.
export function leaveFor(hash) {
  if (mayLeave(hash)) location.hash = hash;
}
