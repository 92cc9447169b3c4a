// Package limitkey computes and reads limit keys: under which purchase limits count the orders of a sale with
// limit_key, instead of their users. A limit key is a keyed digest of a claim that the platform signed, such as of a
// household, and differs from sale to sale. So stores and logs don't have the claim, and nobody who has a copy of the
// stores without the site's key can tell whether two sales were to the same household.
package limitkey
