// Package remind has reminders: buyers ask to be told when a sale starts, or when units of a sale that is sold out are
// back. The shop platform tells them, with the notify_token that it gave: the event reminder.due names up to MaxUsers
// buyers of one sale.
//
//	asked ── waits ── told ── deleted after the sale
//	           └─ deleted by the buyer
//
// A start is told Before it, in the order in which buyers asked. If it moves after that, the reminder is told again if
// the sale now starts more than Before later than was told; an earlier start isn't told again. Units are told while
// some are open to everybody, to a few at a time; who asks again after that, while the sale is sold out, is told again.
//
// Reminders are in SQL only. A reminder is marked as told in the transaction that writes its event, so it is told once,
// whatever crashes and however many instances run the job.
package remind
