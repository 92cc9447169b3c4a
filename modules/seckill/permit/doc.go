// Package permit issues the order permits of sales. take_permit.lua decides. While all permits of a sku are
// issued, an instance refuses from memory the users who have none: at most once per 20 ms it reads whether that
// is still so, and who got a permit since, from any instance. Users who have a permit are always sent to the
// script, which gives them the same again.
package permit
