// Package permit issues the order permits of sales. take_permit.lua decides. While all permits of a sku are
// issued, an instance refuses from memory the users who have none: at most every 20 ms it reads whether that
// is still the case, and which users have got a permit since, on any instance. At most once a second it reads all of
// them in the background, which drops those whose permits were used or have expired. Users who have a permit are
// always sent to the script, which gives them the same again.
package permit
