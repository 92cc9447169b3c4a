// The ids that the platform chooses, as modules/ids has them.

const separator = '~'; // no id has it

// joined makes one text of several ids, or of a word and an id. Different ids make different texts.
export const joined = (...parts) => parts.join(separator);

// idInput has the attributes of an input for an id.
export const idInput = { maxlength: 64, pattern: '(?!\\.{1,2}$)[A-Za-z0-9._:\\-]+' };
