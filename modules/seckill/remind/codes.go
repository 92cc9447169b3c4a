package remind

import (
	"net/http"

	"onrush/modules/problem"
)

// The problem codes of reminders. Where units are left, the code is waitlist.CodeNotSoldOut.
var (
	CodeAlreadyStarted   = problem.Code{Name: "already_started", Status: http.StatusConflict}
	CodeTooManyReminders = problem.Code{Name: "too_many_reminders", Status: http.StatusConflict}
)
