package order

import "strings"

// TaskHash returns the hash part of a task id `<lane>.<activity>.<hash>.<mac>`, the field of the tasks
// hash. It returns "" for any other text.
func TaskHash(task string) string {
	parts := strings.Split(task, ".")
	if len(parts) != 4 {
		return ""
	}
	return parts[2]
}
