package order

import "strings"

// TaskHash returns the part of a task id under which Redis keeps the task: ids are
// `<lane>.<activity>.<hash>.<mac>`. It is "" for anything else.
func TaskHash(task string) string {
	parts := strings.Split(task, ".")
	if len(parts) != 4 {
		return ""
	}
	return parts[2]
}
