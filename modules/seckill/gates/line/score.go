package line

import "encoding/binary"

// score returns the random numbers of a user: the score of an early place, 52 bits that nobody can choose or
// guess, and a fraction from 0 to 1 that spreads the user's polls. They depend on the secret: the score with which a
// user joined first counts, which Redis keeps.
func (s sealer) score(activity, user string) (score int64, spread float64) {
	sum := s.scores.Sign(activity, user)
	score = int64(binary.BigEndian.Uint64(sum[:]) >> 12) // 52 bits
	return score, float64(binary.BigEndian.Uint32(sum[8:])) / (1 << 32)
}
