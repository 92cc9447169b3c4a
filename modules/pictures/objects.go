package pictures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/errgroup"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/pictures/bucket"
	"onrush/modules/problem"
)

// An upload to a bucket has three steps: SQL gets the key of the object, which no other upload has, with a time from
// which on the object is deleted; the bucket gets the object; SQL replaces the key by the picture, unless the object is
// being deleted. So an object without a picture is always in picture_objects, whichever step fails.

const (
	// putsAtOnce is how many uploads of an instance may use the bucket: each holds its picture in memory.
	putsAtOnce = 4
	// deleteAfter is how long after the begin of an upload that has not ended, or after its picture, an object is
	// deleted. A database that was restored from a backup of before, or copied from one, may have its picture until
	// then.
	deleteAfter = 30 * day
	// deleteAgain is how long after a failed try an object is deleted again.
	deleteAgain = 10 * time.Minute
	// deletesOfRun bounds the objects of a bucket that one run deletes, and deletesAtOnce those that it deletes at the
	// same time.
	deletesOfRun, deletesAtOnce = 200, 8
	// maxObjects bounds the objects of a shop in the bucket that have no picture, roughly: it may replace all of its
	// pictures twice in the time for which they are kept.
	maxObjects = 2 * maxOfShop
)

// object is one in a bucket that has no picture, or has none yet.
type object struct {
	Bucket string `db:"bucket"` // its ID
	Key    string `db:"object_key"`
	Shop   string `db:"shop_id"`
	Due    int64  `db:"due_ms"` // it is deleted from then on
}

var (
	errTooLate = errors.New("the upload took too long: its object is being deleted")
	// errReplaced is the error of an upload of a lost content, if another one was faster.
	errReplaced = errors.New("the content of the picture was replaced")
)

// store stores the row of a picture in a transaction.
type store func(context.Context, *sqlx.Tx, Picture) error

// keepInBucket keeps the content of a picture in the bucket of uploads, and the picture with its key by store, whose
// error it returns.
func (s *Service) keepInBucket(ctx context.Context, p Picture, data []byte, store store) (Picture, error) {
	p.ObjectKey = p.ID + "." + s.NewID()
	o := object{s.Buckets.All()[0].ID(), p.ObjectKey, p.Shop, s.Clock().Add(deleteAfter).UnixMilli()}
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := s.checkRoom(ctx, tx, p); err != nil {
			return err
		}
		return insertObject(ctx, tx, o)
	})
	if err != nil {
		return p, err
	}
	if err := s.put(ctx, p, data); err != nil {
		s.Reader.failed.Report(ctx, "upload of a picture", "to", "bucket", err)
		if no, ok := errors.AsType[*bucket.Error](err); ok && isRefusal(no.Status) {
			_, err := dropObject(ctx, s.DB.Write, o) // the bucket has nothing of it
			return p, problem.Unavailable(err, "The bucket doesn't take the picture.")
		}
		return p, problem.Unavailable(nil, "The picture can't be stored at the moment.")
	}
	return p, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if dropped, err := dropObject(ctx, tx, o); err != nil || !dropped {
			return errors.Join(err, problem.Unavailable(errTooLate, "The upload took too long."))
		}
		return store(ctx, tx, p)
	})
}

// isRefusal reports whether a status says that the bucket has done nothing.
func isRefusal(status int) bool {
	return status >= http.StatusMultipleChoices && status < http.StatusInternalServerError
}

// put writes the object of a picture when it is its turn.
func (s *Service) put(ctx context.Context, p Picture, data []byte) error {
	done, err := s.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.Buckets.Put(ctx, p.ObjectKey, p.MediaType, data)
}

// takeTurn waits until an upload may use the bucket. The caller calls done afterwards.
func (s *Service) takeTurn(ctx context.Context) (done func(), err error) {
	select {
	case s.puts <- struct{}{}:
		return func() { <-s.puts }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other uploads: %w", ctx.Err())
	}
}

// isLost reports whether the buckets say that they don't have the content of a picture.
func (s *Service) isLost(ctx context.Context, p Picture) bool {
	if p.ObjectKey == "" {
		return false
	}
	done, err := s.takeTurn(ctx)
	if err != nil {
		return false
	}
	defer done()
	_, err = s.Buckets.Get(ctx, p.ObjectKey, p.Bytes, p.isContent)
	return errors.Is(err, bucket.ErrLost)
}

// replace returns what stores where the content of a known picture is from now on. Its error is errReplaced if that has
// changed since, or the picture was deleted.
func (s *Service) replace(known Picture) store {
	return func(ctx context.Context, tx *sqlx.Tx, p Picture) error {
		const update = `UPDATE pictures SET object_key = ? WHERE picture_id = ? AND object_key = ?`
		res, err := tx.ExecContext(ctx, update, p.ObjectKey, p.ID, known.ObjectKey)
		if err != nil {
			return fmt.Errorf("update the key of a picture: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, errReplaced)
		}
		if err := s.insertObjectsOf(ctx, tx, known); err != nil {
			return err
		}
		err = oplog.Record(ctx, tx,
			oplog.Entry{Action: "picture.uploaded", On: "picture:" + p.ID, Before: known, After: known})
		if err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusOK, known)
	}
}

// insertObjectsOf stores that a picture no longer has its object, which may be in each bucket of the setting.
func (s *Service) insertObjectsOf(ctx context.Context, tx *sqlx.Tx, p Picture) error {
	if p.ObjectKey == "" {
		return nil
	}
	due := s.Clock().Add(deleteAfter).UnixMilli()
	for _, b := range s.Buckets.All() {
		if err := insertObject(ctx, tx, object{b.ID(), p.ObjectKey, p.Shop, due}); err != nil {
			return err
		}
	}
	return nil
}

func insertObject(ctx context.Context, tx *sqlx.Tx, o object) error {
	const insert = `INSERT INTO picture_objects (bucket, object_key, shop_id, due_ms) VALUES (?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, o.Bucket, o.Key, o.Shop, o.Due); err != nil {
		return fmt.Errorf("insert the key of an object: %w", err)
	}
	return nil
}

// dropObject forgets an object that has a picture or is gone, and reports whether its time was still the same.
func dropObject(ctx context.Context, db sqlx.ExecerContext, o object) (bool, error) {
	const query = `DELETE FROM picture_objects WHERE bucket = ? AND object_key = ? AND due_ms = ?`
	res, err := db.ExecContext(ctx, query, o.Bucket, o.Key, o.Due)
	if err != nil {
		return false, fmt.Errorf("delete the key of an object: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// checkObjects refuses an upload while too many objects of the shop wait to be deleted in the bucket.
func (s *Service) checkObjects(ctx context.Context, tx *sqlx.Tx, shop string) error {
	if !s.Buckets.TakesUploads() {
		return nil
	}
	var count int
	const query = `SELECT COUNT(*) FROM picture_objects WHERE bucket = ? AND shop_id = ?`
	if err := tx.GetContext(ctx, &count, query, s.Buckets.All()[0].ID(), shop); err != nil {
		return fmt.Errorf("count the objects of a shop: %w", err)
	}
	if count >= s.maxObjects {
		return problem.Errorf(problem.CodeRateLimited,
			"The bucket still has %d deleted or unfinished pictures of the shop, each for 30 days.", s.maxObjects).
			After(time.Hour)
	}
	return nil
}

// DeleteObjects deletes objects that have no picture, and returns how many: at most 200 of each bucket, until one can't
// be deleted, which is tried again after ten minutes. While uploads go to SQL it deletes none.
func (s *Service) DeleteObjects(ctx context.Context) (deleted int, failed error) {
	if !s.Buckets.TakesUploads() {
		return 0, nil
	}
	// An instance whose clock is ahead would delete what a restored database still needs.
	if err := s.Sync(ctx); err != nil {
		return 0, err
	}
	for _, b := range s.Buckets.All() {
		n, err := s.deleteObjectsIn(ctx, b)
		deleted, failed = deleted+n, errors.Join(failed, err)
	}
	return deleted, failed
}

func (s *Service) deleteObjectsIn(ctx context.Context, b *bucket.Bucket) (int, error) {
	var due []object
	const query = `SELECT bucket, object_key, shop_id, due_ms FROM picture_objects WHERE bucket = ? AND due_ms <= ?
		ORDER BY due_ms LIMIT ?`
	err := s.DB.Read.SelectContext(ctx, &due, query, b.ID(), s.Clock().UnixMilli(), deletesOfRun)
	if err != nil {
		return 0, fmt.Errorf("select the keys of objects: %w", err)
	}
	var deleted atomic.Int64
	var failed atomic.Bool
	var all errgroup.Group
	all.SetLimit(deletesAtOnce)
	for _, o := range due {
		if failed.Load() {
			break
		}
		all.Go(func() error {
			done, err := s.deleteObject(ctx, b, o)
			if done {
				deleted.Add(1)
			}
			failed.CompareAndSwap(false, err != nil)
			return err
		})
	}
	err = all.Wait()
	return int(deleted.Load()), err
}

// deleteObject deletes an object, unless another instance does, or its upload has ended.
func (s *Service) deleteObject(ctx context.Context, b *bucket.Bucket, o object) (done bool, err error) {
	// From here on the upload, if it goes on, finds another time and ends without a picture.
	const claim = `UPDATE picture_objects SET due_ms = ? WHERE bucket = ? AND object_key = ? AND due_ms = ?`
	again := s.Clock().Add(deleteAgain).UnixMilli()
	res, err := s.DB.Write.ExecContext(ctx, claim, again, o.Bucket, o.Key, o.Due)
	if err != nil {
		return false, fmt.Errorf("claim an object: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := b.Delete(ctx, o.Key); err != nil {
		return false, fmt.Errorf("delete the object of no picture: %w", err)
	}
	o.Due = again
	_, err = dropObject(ctx, s.DB.Write, o)
	return err == nil, err
}
