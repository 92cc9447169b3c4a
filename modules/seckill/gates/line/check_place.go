package line

import (
	"time"

	"onrush/modules/problem"
)

// Admit returns nil if a user may take a path: the place is admitted, or the sale has no waiting room. It needs
// no store. Otherwise it returns the refusal; if the place still waits, the refusal says when to ask again.
func (s *Service) Admit(sale Sale, user, sealed string) error {
	if !sale.Room.On() {
		return nil
	}
	if sealed == "" {
		return errNoPlace
	}
	p, ok := s.seal.open(user, sealed)
	if !ok || p.activity != sale.Activity {
		return errInvalid
	}
	if position, known := s.positions.Get(sealed); known {
		p.position = position
	}
	if p.position == lost {
		return errLost
	}
	answer, err := s.answer(&sale, user, p, Unknown)
	switch {
	case err != nil:
		return err
	case answer.Status == Admitted:
		return nil
	}
	e := problem.Errorf(CodeLineRequired, "Your place in the waiting room is not admitted yet; ask for it until it is.")
	e.RefreshAfter = time.Duration(answer.RefreshAfterMS) * time.Millisecond
	return e
}
