// Package logpositions keeps how far a replica of SQL must have come before it may be read for a buyer, so that a list
// has all that the buyer was told, and "SQL has what Redis no longer has" holds for replicas, too.
//
// What changes an order raises a version of its buyer in the same transaction (versions.Raise). A list asks the
// primary for it, and the replica's must be as high. So nothing that fails between a commit and an answer, and no loss
// of Redis, makes a list older than an answer.
//
// Movers store orders of very many buyers at once, which are in Redis until they are acknowledged. With the
// acknowledgement, in the same script, a mover notes a position of the primary's log (sqldb.DB.Position), so that Redis
// loses both or none:
//
//	{lane}:written, a hash: <bucket of the user> → the position after the last move for one of its users
//	                        since → the one after the first move, for users of other buckets; "?…" while unknown
//	                        run → the run of the master of Redis in which since was made
//
// The next run of a master may lack the last notes, be it a replica that was behind or a Redis that read an older file,
// while SQL has the orders. So a reader asks for the run of the master in the round trip of its reads, behind them on
// the same connection. If since is of another run, the positions are begun again. A master has all that was noted in
// its own run. Movers need not ask: what they note in the hash of another run is forgotten with it.
//
// The number of buckets is bounded, so nothing has to expire. Users of one bucket may wait for each other's orders.
// Nothing is noted while there is no since: it is there from the first list that would read a replica, on whatever
// instance.
package logpositions

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/gather"
	"onrush/modules/order/versions"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

// buckets is how many positions a lane keeps. With GTIDs of MySQL, a position takes about 60 bytes and more.
const buckets = 4096

// unknown begins a since that is no position: one has to be read from the primary.
const unknown = "?"

const (
	// readWithin bounds the reads of a list, so that an unavailable Redis or primary is noticed at once.
	readWithin = 300 * time.Millisecond
	// renewEvery is how often positions that a replica doesn't reach are compared with the primary.
	renewEvery = time.Second
	// maxNotes bounds how often Noting begins again.
	maxNotes = 8
)

// Store keeps the positions and the versions of users. A nil Store keeps none: for a test without a replica.
type Store struct {
	primary  *sqldb.DB
	lua      *lua.Scripts
	site     *site.Site
	now      func() time.Time
	log      *slog.Logger
	versions *gather.Group[struct{}, int, int64] // by versions.PartOf

	renewed atomic.Int64 // when renew ran last, in UTC milliseconds
}

// New returns a Store of the positions of a primary.
func New(
	primary *sqldb.DB, scripts *lua.Scripts, of *site.Site, now func() time.Time, log *slog.Logger,
) *Store {
	s := &Store{primary: primary, lua: scripts, site: of, now: now, log: log}
	s.versions = gather.New(gather.Config[struct{}, int, int64]{
		Call: s.readVersions, MaxCall: 256, SecondFrom: 1,
	})
	return s
}

// Noting calls remove after SQL has committed orders of these users. remove must pass the note to the script that
// removes the orders from Redis. If another note was made meanwhile, Noting calls remove again with a new note.
func (s *Store) Noting(ctx context.Context, lane int, users []string, remove func(lua.Note) error) error {
	if s == nil {
		return remove(lua.Note{})
	}
	fields := make([]string, len(users), len(users)+1)
	for i, user := range users {
		fields[i] = bucket(user)
	}
	slices.Sort(fields)
	fields = slices.Insert(slices.Compact(fields), 0, lua.FieldSince)
	for range maxNotes {
		note, err := s.note(ctx, lane, fields)
		if err != nil {
			return err
		}
		if err := remove(note); !errors.Is(err, lua.ErrNoted) {
			return err
		}
	}
	return errors.New("note the position of a move: others note theirs again and again")
}

// note returns a note of the present position.
func (s *Store) note(ctx context.Context, lane int, fields []string) (note lua.Note, err error) {
	note.Fields = fields
	if note.Was, err = s.lua.ReadPositions(ctx, lane, fields); err != nil {
		return note, err
	}
	if note.Was[0] == "" {
		return lua.Note{}, nil // nobody reads a replica
	}
	note.Position, err = s.primary.Position(ctx) // after the fields, so that it is no older than theirs
	return note, err
}

// Version begins to read the version of a user, and returns what waits for it.
func (s *Store) Version(ctx context.Context, user string) (wait func() (int64, error)) {
	if s == nil {
		return func() (int64, error) { return 0, nil }
	}
	type answer struct {
		version int64
		err     error
	}
	answers := make(chan answer, 1)
	go func() {
		version, err := s.versions.Do(ctx, struct{}{}, versions.PartOf(user))
		answers <- answer{version, err}
	}()
	return func() (int64, error) {
		a := <-answers
		return a.version, a.err
	}
}

// readVersions is the call of versions.
func (s *Store) readVersions(_ struct{}, parts []int, into []int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), readWithin)
	defer cancel()
	known, err := versions.Select(ctx, s.primary.Read, parts)
	for i, part := range parts {
		into[i] = known[part]
	}
	return err
}

// since is what a reader found in the field since.
type since struct {
	value string // a position, "?…", or "" if there was none
	run   string // of the master that answered
	valid bool   // it was made in this run
}

// begin notes the present position as the least position of a lane, in place of all positions that are noted. was is
// the least position before. If the master changes meanwhile, the field run doesn't match the new run, and the next
// reader begins again.
func (s *Store) begin(ctx context.Context, lane int, was since) error {
	value := was.value
	if !was.valid || !strings.HasPrefix(value, unknown) {
		// Entries that are acknowledged from now on are noted, so that the position, which is read after this, has the
		// rest.
		begun := unknown + strconv.FormatInt(s.now().UnixNano(), 36)
		if done, err := s.lua.BeginPositions(ctx, lane, value, begun, was.run); !done || err != nil {
			return err
		}
		value = begun
	}
	position, err := s.primary.Position(ctx)
	switch {
	case err != nil:
		return err
	case position == "":
		return sqldb.ErrNoPositions
	}
	_, err = s.lua.BeginPositions(ctx, lane, value, position, "")
	return err
}

func bucket(user string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(user))
	return strconv.Itoa(int(h.Sum32() % buckets))
}
