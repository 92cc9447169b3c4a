package gateway

import (
	"fmt"
	"time"

	"onrush/modules/pay"
)

// notificationAge is how far the time of a notification may be from ours, before or after.
const notificationAge = 5 * time.Minute

// errTooOld says that a time is too far from ours; it wraps ErrSignature.
var errTooOld = fmt.Errorf("%w: its time is too far from ours", pay.ErrSignature)

// CheckAge compares the time of a signature with ours; if they differ by more than 5 minutes, the error
// wraps pay.ErrSignature.
func CheckAge(now, signed time.Time) error { return CheckAgeUpTo(notificationAge, now, signed) }

// CheckAgeUpTo is CheckAge with another maximum age.
func CheckAgeUpTo(oldest time.Duration, now, signed time.Time) error {
	if signed.Before(now.Add(-oldest)) || signed.After(now.Add(notificationAge)) {
		return errTooOld
	}
	return nil
}
