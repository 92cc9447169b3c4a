package pictures

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/pictures/bucket"
	"onrush/modules/problem"
)

// An upload to a bucket has three steps: SQL gets the key of the object, which no other upload has, with a time from
// which on the object is deleted; the bucket gets the object; SQL replaces the key by the picture, unless the object is
// being deleted. So an object without a picture is always in picture_objects, whichever step fails.

const (
	// putsAtOnce is how many uploads of an instance may write to the bucket: each holds its picture in memory.
	putsAtOnce = 4
	// uploadsFor is how long after its begin the object of an upload that has not ended is deleted: long after the last
	// moment at which the bucket may still get it.
	uploadsFor = time.Hour
	// deleteAgain is how long after a failed try an object is deleted again.
	deleteAgain = 10 * time.Minute
	// deletesAtOnce bounds the objects that one run deletes.
	deletesAtOnce = 200
)

var errTooLate = errors.New("the upload took too long: its object is being deleted")

// keepInBucket keeps a picture, and its content in the bucket of uploads, and returns the picture with its key there.
// The error is a duplicate if there is one with the id.
func (s *Service) keepInBucket(ctx context.Context, p Picture, data []byte) (Picture, error) {
	p.ObjectKey = p.ID + "." + s.NewID()
	due := s.Clock().Add(uploadsFor).UnixMilli()
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := s.checkRoom(ctx, tx, p); err != nil {
			return err
		}
		return insertObject(ctx, tx, p.ObjectKey, due)
	})
	if err != nil {
		return p, err
	}
	if err := s.put(ctx, p, data); err != nil {
		s.Reader.failed.Report(ctx, "upload of a picture", "to", "bucket", err)
		if no, ok := errors.AsType[*bucket.Error](err); ok && no.Status < http.StatusInternalServerError {
			_, err := dropObject(ctx, s.DB.Write, p.ObjectKey, due) // the bucket has nothing of it
			return p, problem.Unavailable(err, "The bucket doesn't take the picture.")
		}
		return p, problem.Unavailable(nil, "The picture can't be stored at the moment.")
	}
	return p, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if dropped, err := dropObject(ctx, tx, p.ObjectKey, due); err != nil || !dropped {
			return errors.Join(err, problem.Unavailable(errTooLate, "The upload took too long."))
		}
		return s.insert(ctx, tx, p)
	})
}

// put writes the object of a picture when it is its turn.
func (s *Service) put(ctx context.Context, p Picture, data []byte) error {
	select {
	case s.puts <- struct{}{}:
		defer func() { <-s.puts }()
	case <-ctx.Done():
		return fmt.Errorf("wait for other uploads: %w", ctx.Err())
	}
	return s.Buckets.Put(ctx, p.ObjectKey, p.MediaType, data)
}

// insertObject stores the key of an object without a picture, which is deleted from due on.
func insertObject(ctx context.Context, tx *sqlx.Tx, key string, due int64) error {
	const insert = `INSERT INTO picture_objects (object_key, due_ms) VALUES (?, ?)`
	if _, err := tx.ExecContext(ctx, insert, key, due); err != nil {
		return fmt.Errorf("insert the key of an object: %w", err)
	}
	return nil
}

// dropObject forgets an object that has a picture or is gone, and reports whether its time was still due.
func dropObject(ctx context.Context, db sqlx.ExecerContext, key string, due int64) (bool, error) {
	res, err := db.ExecContext(ctx, `DELETE FROM picture_objects WHERE object_key = ? AND due_ms = ?`, key, due)
	if err != nil {
		return false, fmt.Errorf("delete the key of an object: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// DeleteObjects deletes objects that have no picture, at most 200, and returns how many. It ends at the first one that
// can't be deleted, which is tried again after ten minutes. Without a bucket it deletes none.
func (s *Service) DeleteObjects(ctx context.Context) (deleted int, err error) {
	if len(s.Buckets.All()) == 0 {
		return 0, nil
	}
	now := s.Clock()
	var due []struct {
		Key string `db:"object_key"`
		MS  int64  `db:"due_ms"`
	}
	const query = `SELECT object_key, due_ms FROM picture_objects WHERE due_ms <= ? ORDER BY due_ms LIMIT ?`
	if err := s.DB.Read.SelectContext(ctx, &due, query, now.UnixMilli(), deletesAtOnce); err != nil {
		return 0, fmt.Errorf("select the keys of objects: %w", err)
	}
	again := now.Add(deleteAgain).UnixMilli()
	for _, object := range due {
		// From here on the upload, if it goes on, finds another time and ends without a picture.
		const claim = `UPDATE picture_objects SET due_ms = ? WHERE object_key = ? AND due_ms = ?`
		res, err := s.DB.Write.ExecContext(ctx, claim, again, object.Key, object.MS)
		if err != nil {
			return deleted, fmt.Errorf("claim an object: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 { // another instance deletes it, or the upload has ended
			continue
		}
		if err := s.Buckets.Delete(ctx, object.Key); err != nil {
			return deleted, fmt.Errorf("delete the object of no picture: %w", err)
		}
		if _, err := dropObject(ctx, s.DB.Write, object.Key, again); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
