package pictures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/bounded"
	"onrush/modules/pictures/bucket"
	"onrush/modules/problem"
	"onrush/modules/refusals"
	"onrush/modules/sqldb"
)

const (
	// Path is where pictures are served, below the program's own path.
	Path = "/pictures/"
	// keptBytes bounds the pictures in the memory of an instance.
	keptBytes = 32 << 20
	// sqlReads and bucketReads are how many pictures are read at the same time, and sqlPace and bucketPace how many
	// bytes a second each of them takes at most: of pictures that few ask for, a client may ask for very many, and each
	// answer stays in memory until the client has taken it, or for ten seconds. A bucket takes longer to answer.
	sqlReads, sqlPace       = 2, 8 << 20
	bucketReads, bucketPace = 8, 2 << 20
	// maxReads bounds the pictures that are read, wait for their turn, or could not be read a moment ago.
	maxReads = 4096
	// readWithin bounds the read of a picture, and how long it waits for its turn.
	readWithin = 5 * time.Second
	// sqlPause is how long after a failed read from SQL no other begins for that picture, and bucketPause after one
	// from a bucket: while that hangs, most of a crowd is answered at once.
	sqlPause, bucketPause = time.Second, 5 * time.Second
	// forever is how old a copy may be: what an id names doesn't change.
	forever = time.Duration(math.MaxInt64)
)

// header is what a request needs to know before the content.
type header struct {
	ID        string `db:"picture_id"`
	MediaType string `db:"media_type"`
	Bytes     int    `db:"bytes"`
	Shop      string `db:"shop_id"`
	ObjectKey string `db:"object_key"`
}

// Reader reads pictures for everybody.
type Reader struct {
	db      *sqldb.DB
	buckets *bucket.Buckets
	headers *aged.Keyed[header]
	kept    *bounded.Map[string, []byte] // the content of pictures
	reads   *bounded.Map[string, *aged.Copy[[]byte]]
	failed  *refusals.Log
	// Each has its own turns, so that a bucket that hangs holds up no picture in SQL.
	inSQL, inBucket *source
}

// source is where content is read.
type source struct {
	aged.Config

	read  func(context.Context, header) ([]byte, error)
	turns chan struct{} // of those that read
	pace  int           // bytes a second of each turn
}

// NewReader returns the pictures in d.Shown and d.Buckets.
func NewReader(d Deps) *Reader {
	r := &Reader{
		db: d.Shown, buckets: d.Buckets, failed: refusals.New(d.Now, d.Log),
		kept:  bounded.Weighed(keptBytes, func(_ string, data []byte) int { return len(data) }),
		reads: bounded.New[string, *aged.Copy[[]byte]](maxReads),
	}
	r.inSQL = &source{
		Config: aged.Config{What: "picture", Now: d.Now, Within: readWithin, Pause: sqlPause},
		read:   r.readParts, turns: make(chan struct{}, sqlReads), pace: sqlPace,
	}
	r.inBucket = &source{
		Config: aged.Config{What: "picture", Now: d.Now, Within: readWithin, Pause: bucketPause},
		read:   r.readObject, turns: make(chan struct{}, bucketReads), pace: bucketPace,
	}
	r.headers = aged.NewKeyed("pictures", d.Now, r.readHeaders)
	return r
}

func (r *Reader) readHeaders(ctx context.Context, ids []string) (map[string]header, error) {
	query, args, err := sqlx.In(`SELECT picture_id, media_type, bytes, shop_id, object_key FROM pictures
		WHERE picture_id IN (?)`, ids)
	if err != nil {
		return nil, fmt.Errorf("list the ids of pictures: %w", err)
	}
	var rows []header
	if err := r.db.Read.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("select pictures: %w", err)
	}
	found := make(map[string]header, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// header returns the row of a picture. The error is not_found if there is none.
func (r *Reader) header(ctx context.Context, id string) (header, error) {
	h, found, err := r.headers.Get(ctx, id)
	if err == nil && !found {
		err = problem.NotFound("picture")
	}
	return h, err
}

// content returns the content of a picture, which nobody may change.
func (r *Reader) content(ctx context.Context, h header) ([]byte, error) {
	if data, found := r.kept.Get(h.ID); found {
		return data, nil
	}
	from := r.inSQL
	if h.ObjectKey != "" {
		from = r.inBucket
	}
	of := r.reads.GetOrMake(h.ID, func() *aged.Copy[[]byte] { return &aged.Copy[[]byte]{} })
	data, err := of.Get(ctx, &from.Config, forever, func(ctx context.Context) ([]byte, error) {
		return r.keep(ctx, from, h)
	})
	if err != nil {
		if h.ObjectKey != "" {
			err = nil // it was logged
		}
		return nil, problem.Unavailable(err, "The picture can't be read at the moment.")
	}
	return data, nil
}

// errNoTurn is wrapped by the error of a read that has not begun.
var errNoTurn = errors.New("wait for other pictures")

// keep reads the content of a picture when it is its turn, and keeps it in memory.
func (r *Reader) keep(ctx context.Context, from *source, h header) ([]byte, error) {
	if data, found := r.kept.Get(h.ID); found { // another read has just ended
		return data, nil
	}
	data, err := from.readInTurn(ctx, h)
	switch {
	case err == nil:
		r.kept.Set(h.ID, data)
		r.reads.Delete(h.ID) // it would keep data, too
	case errors.Is(err, errNoTurn):
		r.reads.Delete(h.ID) // without a pause
	}
	return data, err
}

// readInTurn reads the content of a picture when it is its turn.
func (s *source) readInTurn(ctx context.Context, h header) (data []byte, err error) {
	select {
	case s.turns <- struct{}{}:
		held := time.Duration(h.Bytes) * time.Second / time.Duration(s.pace)
		defer time.AfterFunc(held, func() { <-s.turns })
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errNoTurn, ctx.Err())
	}
	return s.read(ctx, h)
}

// errTorn is the error of a picture that was deleted while it was read.
var errTorn = errors.New("parts of the picture are missing")

// readParts reads content from SQL.
func (r *Reader) readParts(ctx context.Context, h header) (data []byte, err error) {
	const query = `SELECT content FROM picture_parts WHERE picture_id = ? ORDER BY part`
	var parts [][]byte
	if err := r.db.Read.SelectContext(ctx, &parts, query, h.ID); err != nil {
		return nil, fmt.Errorf("select the content of a picture: %w", err)
	}
	data = make([]byte, 0, h.Bytes)
	for _, part := range parts {
		data = append(data, part...)
	}
	if len(data) != h.Bytes {
		return nil, errTorn
	}
	return data, nil
}

// readObject reads content from a bucket, which others may write to.
func (r *Reader) readObject(ctx context.Context, h header) (data []byte, err error) {
	data, err = r.buckets.Get(ctx, h.ObjectKey, h.Bytes, func(data []byte) bool { return idOf(h.Shop, data) == h.ID })
	if err != nil {
		r.failed.Report(ctx, "read of a picture", "from", "bucket", err)
	}
	return data, err
}

// forget makes the next request for a picture look whether there is one.
func (r *Reader) forget(id string) {
	r.headers.Forget(id)
	r.kept.Delete(id)
	r.reads.Delete(id)
}
