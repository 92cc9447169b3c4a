package pictures

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/idempotency"
	"onrush/modules/ids"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

const (
	// maxOfShop bounds the pictures of a shop, and maxOfDay what one operator uploads in a day, roughly: uploads that
	// run at once don't count each other.
	maxOfShop, maxOfDay = 10_000, 1000
	day                 = 24 * time.Hour
	// partBytes is the most content that a row of picture_parts has. Written as a literal it may be twice as long.
	partBytes = 256 << 10
	// idBytes is the length of the digest that an id is.
	idBytes = 16
)

// Picture is a picture as operators see it.
type Picture struct {
	ID        string     `json:"picture_id" db:"picture_id"`
	URL       string     `json:"image_url" db:"-"` // a path on this host
	MediaType string     `json:"content_type" db:"media_type"`
	Bytes     int        `json:"bytes" db:"bytes"`
	Width     int        `json:"width" db:"width"` // in pixels
	Height    int        `json:"height" db:"height"`
	Shop      string     `json:"shop_id,omitempty" db:"shop_id"` // "" for the whole platform
	CreatedAt api.Millis `json:"created_at" db:"created_ms"`
	CreatedBy string     `json:"created_by" db:"created_by"`
	// ObjectKey is the key of the object that has the content; "" if SQL has it.
	ObjectKey string `json:"-" db:"object_key"`
}

const pictureColumns = `picture_id, media_type, bytes, width, height, shop_id, created_ms, created_by, object_key`

// Upload is a picture to keep.
type Upload struct {
	Shop      string // "" for the whole platform
	MediaType string
	Data      []byte
	By        string // the operator
}

// Service keeps, lists and deletes pictures.
type Service struct {
	Deps
	// Reader shows the pictures. It learns at once of those that are kept or deleted here.
	Reader              *Reader
	maxOfShop, maxOfDay int
	maxObjects          int
	puts                chan struct{} // of uploads that use the bucket
}

// NewService returns the pictures in d.DB.
func NewService(d Deps) *Service {
	return &Service{
		Deps: d, Reader: NewReader(d), maxOfShop: maxOfShop, maxOfDay: maxOfDay, maxObjects: maxObjects,
		puts: make(chan struct{}, putsAtOnce),
	}
}

// Keep keeps a picture, and reports whether the shop didn't have it yet. If it did, and the buckets have lost its
// content, the picture gets this content. The error is invalid_request for data that is no picture, a conflict or
// rate_limited for too many pictures, and unavailable if the bucket doesn't take the picture.
func (s *Service) Keep(ctx context.Context, up Upload) (p Picture, isNew bool, err error) {
	width, height, err := measure(up.MediaType, up.Data)
	if err != nil {
		return p, false, err
	}
	p = Picture{
		ID: idOf(up.Shop, up.Data), MediaType: up.MediaType, Bytes: len(up.Data),
		Width: width, Height: height, Shop: up.Shop, CreatedAt: api.Millis(s.Clock().UnixMilli()), CreatedBy: up.By,
	}
	store, isNew := s.insert, true
	switch known, err := s.picture(ctx, p.ID); {
	case err == nil && s.isLost(ctx, known):
		store, isNew = s.replace(known), false
	case problem.CodeOf(err) != problem.CodeNotFound:
		return known, false, err
	}
	if s.Buckets.TakesUploads() {
		p, err = s.keepInBucket(ctx, p, up.Data, store)
	} else {
		err = s.keepInSQL(ctx, p, up.Data, store)
	}
	if err != nil && !sqldb.IsDuplicate(err) && !errors.Is(err, errReplaced) {
		return Picture{}, false, err
	}
	s.Reader.forget(p.ID)
	if err != nil || !isNew {
		p, err = s.picture(ctx, p.ID)
		return p, false, err
	}
	return s.addressed(p), true, nil
}

// idOf returns the id of a picture, which is the checksum of its content, too.
func idOf(shop string, data []byte) string {
	return sign.Digest(idBytes, "picture", shop, string(data))
}

// isContent reports whether data is the content of the picture.
func (p Picture) isContent(data []byte) bool { return idOf(p.Shop, data) == p.ID }

// insert stores the row of a picture in a transaction. The error is a duplicate if there is a picture with the id.
func (s *Service) insert(ctx context.Context, tx *sqlx.Tx, p Picture) error {
	const insert = `INSERT INTO pictures (` + pictureColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, p.ID, p.MediaType, p.Bytes, p.Width, p.Height, p.Shop,
		int64(p.CreatedAt), p.CreatedBy, p.ObjectKey); err != nil {
		return fmt.Errorf("insert picture: %w", err)
	}
	if err := s.checkRoom(ctx, tx, p); err != nil {
		return err
	}
	err := oplog.Record(ctx, tx,
		oplog.Entry{Action: "picture.uploaded", On: "picture:" + p.ID, After: s.addressed(p)})
	if err != nil {
		return err
	}
	return idempotency.Keep(ctx, tx, http.StatusCreated, s.addressed(p))
}

// keepInSQL keeps the content of a picture in SQL, and the picture by store, whose error it returns.
func (s *Service) keepInSQL(ctx context.Context, p Picture, data []byte, store store) error {
	return s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := store(ctx, tx, p); err != nil {
			return err
		}
		return insertParts(ctx, tx, p.ID, data)
	})
}

// insertParts stores the content of a picture in a transaction.
func insertParts(ctx context.Context, tx *sqlx.Tx, id string, data []byte) error {
	part := 0
	for content := range slices.Chunk(data, partBytes) {
		const insert = `INSERT INTO picture_parts (picture_id, part, content) VALUES (?, ?, ?)`
		if _, err := tx.ExecContext(ctx, insert, id, part, content); err != nil {
			return fmt.Errorf("insert a part of a picture: %w", err)
		}
		part++
	}
	return nil
}

// checkRoom refuses a picture if there are too many others, whether or not its own row is there already.
func (s *Service) checkRoom(ctx context.Context, tx *sqlx.Tx, p Picture) error {
	var count int
	const ofShop = `SELECT COUNT(*) FROM pictures WHERE shop_id = ? AND picture_id <> ?`
	if err := tx.GetContext(ctx, &count, ofShop, p.Shop, p.ID); err != nil {
		return fmt.Errorf("count the pictures of a shop: %w", err)
	}
	if count >= s.maxOfShop {
		return problem.Errorf(problem.CodeConflict, "The shop has %d pictures already; delete some.", s.maxOfShop)
	}
	const ofDay = `SELECT COUNT(*) FROM pictures WHERE created_by = ? AND created_ms > ? AND picture_id <> ?`
	if err := tx.GetContext(ctx, &count, ofDay, p.CreatedBy, int64(p.CreatedAt)-day.Milliseconds(), p.ID); err != nil {
		return fmt.Errorf("count the pictures of an operator: %w", err)
	}
	if count >= s.maxOfDay {
		return problem.Errorf(problem.CodeRateLimited, "This operator has uploaded %d pictures in a day.", s.maxOfDay).
			After(time.Hour)
	}
	return s.checkObjects(ctx, tx, p.Shop)
}

// picture returns a picture; an unknown one is not_found.
func (s *Service) picture(ctx context.Context, id string) (p Picture, err error) {
	const query = `SELECT ` + pictureColumns + ` FROM pictures WHERE picture_id = ?`
	err = s.DB.Write.GetContext(ctx, &p, query, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return p, problem.NotFound("picture")
	case err != nil:
		return p, fmt.Errorf("select a picture: %w", err)
	}
	return s.addressed(p), nil
}

// ShopOf returns the shop of a picture; an unknown one is not_found.
func (s *Service) ShopOf(ctx context.Context, id string) (string, error) {
	p, err := s.picture(ctx, id)
	return p.Shop, err
}

// addressed returns a picture with its address.
func (s *Service) addressed(p Picture) Picture {
	p.URL = s.Base + Path + p.ID
	return p
}

// List lists the pictures of a shop, or all if shop is "", newest first, by cursor.
func (s *Service) List(ctx context.Context, shop, after string, size int) (api.List[Picture], error) {
	list := api.List[Picture]{PageSize: size}
	var w sqldb.Where
	w.AndIf(shop != "", "shop_id = ?", shop)
	if after != "" {
		ms, id, ok := parseCursor(after)
		if !ok {
			return list, problem.Invalid("after", "must be the next_cursor of a page of this list")
		}
		w.And("created_ms <= ? AND (created_ms < ? OR picture_id < ?)", ms, ms, id)
	}
	query := `SELECT ` + pictureColumns + ` FROM pictures` + w.String() +
		` ORDER BY created_ms DESC, picture_id DESC LIMIT ?`
	if err := s.DB.Read.SelectContext(ctx, &list.Items, query, w.Args(size+1)...); err != nil {
		return list, fmt.Errorf("select pictures: %w", err)
	}
	if len(list.Items) > size {
		list.Items = list.Items[:size]
		last := list.Items[size-1]
		list.NextCursor = api.FormatCursor(strconv.FormatInt(int64(last.CreatedAt), 10), last.ID)
	}
	for i := range list.Items {
		list.Items[i] = s.addressed(list.Items[i])
	}
	return list, nil
}

// parseCursor takes apart a cursor of the list: the time and the id of the last picture before it.
func parseCursor(text string) (ms int64, id string, ok bool) {
	keys, ok := api.ParseCursor(text, 2)
	if !ok || !ids.Valid(keys[1]) {
		return 0, "", false
	}
	ms, err := strconv.ParseInt(keys[0], 10, 64)
	return ms, keys[1], err == nil
}

// uses are what may show a picture, with a column that has its address. No index has these columns: an operator deletes
// a picture rarely.
var uses = []struct{ what, query string }{
	{"a sku", `SELECT COUNT(*) FROM (SELECT 1 FROM skus WHERE image_url LIKE ? LIMIT 1) AS used`},
	{"an activity", `SELECT COUNT(*) FROM (SELECT 1 FROM activities WHERE image_url LIKE ? LIMIT 1) AS used`},
	{"an activity", `SELECT COUNT(*) FROM (SELECT 1 FROM activities WHERE images LIKE ? LIMIT 1) AS used`},
	{"goods of a sale", `SELECT COUNT(*) FROM (SELECT 1 FROM sale_skus WHERE image_url LIKE ? LIMIT 1) AS used`},
}

// Delete deletes a picture. It is a conflict while goods or a sale have it, and not_found if there is none. Orders that
// name it then show none.
func (s *Service) Delete(ctx context.Context, id string) error {
	before, err := s.picture(ctx, id)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, use := range uses {
			var used int
			// In a pattern an _ is any character, so this may find too much, but no use is missed.
			if err := tx.GetContext(ctx, &used, use.query, "%"+Path+id+"%"); err != nil {
				return fmt.Errorf("look for uses of a picture: %w", err)
			}
			if used > 0 {
				return problem.Errorf(problem.CodeConflict, "The picture is that of %s.", use.what)
			}
		}
		if err := remove(ctx, tx, before); err != nil {
			return err
		}
		if err := s.insertObjectsOf(ctx, tx, before); err != nil {
			return err
		}
		return oplog.Record(ctx, tx,
			oplog.Entry{Action: "picture.deleted", On: "picture:" + id, Before: before})
	})
	switch {
	case errors.Is(err, errReplaced):
		if _, err = s.picture(ctx, id); err == nil {
			err = problem.Errorf(problem.CodeConflict, "The picture was just uploaded again.")
		}
	case err == nil:
		s.Reader.forget(id)
	}
	return err
}

// remove deletes a picture. The error is errReplaced if it was deleted, or its content replaced, meanwhile.
func remove(ctx context.Context, tx *sqlx.Tx, p Picture) error {
	const query = `DELETE FROM pictures WHERE picture_id = ? AND object_key = ?`
	res, err := tx.ExecContext(ctx, query, p.ID, p.ObjectKey)
	if err != nil {
		return fmt.Errorf("delete a picture: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return cmp.Or(err, errReplaced)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM picture_parts WHERE picture_id = ?`, p.ID); err != nil {
		return fmt.Errorf("delete the parts of a picture: %w", err)
	}
	return nil
}
