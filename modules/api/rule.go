package api

// Rule is an error of a type that reads itself from JSON. Its text follows the name of a field and may be shown to the
// client.
type Rule string

func (r Rule) Error() string { return string(r) }
