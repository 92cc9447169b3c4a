package oplog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// maxOverlooked is how many of the newest changes of a thing are searched for changes since a version.
	maxOverlooked = 20
	// maxFields is how many fields of one overlooked change are told.
	maxFields = 50
)

// Check compares want, the version of a thing that a client saw, with is, the version that the caller read in tx after
// locking the row. If they differ, the error is stale_version with the changes since want. A want of 0 fits every
// version; a negative one only fits a thing that doesn't exist, whose is is 0, and the error then has the change that
// made the version. on names the thing as in Change. Check finds the changes by the field version of their values.
func Check(ctx context.Context, tx *sqlx.Tx, on string, want, is int64) error {
	return CheckAction(ctx, tx, on, "", want, is)
}

// CheckAction is Check of a version that only the changes with an action make; "" stands for all of them.
func CheckAction(ctx context.Context, tx *sqlx.Tx, on, action string, want, is int64) error {
	switch {
	case want == 0, want == is, want < 0 && is == 0:
		return nil
	}
	detail := "It was changed meanwhile: its version is " + fmt.Sprint(is) + "."
	switch {
	case want < 0:
		detail = "It exists already, with the version " + fmt.Sprint(is) + "."
		want = is - 1 // tell the change that made it so
	case is == 0:
		detail = "It was deleted meanwhile."
	}
	overlooked, err := since(ctx, tx, on, action, want)
	if err != nil {
		return err
	}
	return &problem.Error{
		Code: problem.CodeStaleVersion, Detail: detail, Stale: &api.Stale{Version: is, Changes: overlooked},
	}
}

// since returns the newest changes of a thing that made versions above one, or deleted it.
func since(ctx context.Context, tx *sqlx.Tx, on, action string, version int64) ([]api.Overlooked, error) {
	var rows []struct {
		ID     ID     `db:"change_id"`
		AtMS   int64  `db:"at_ms"`
		Actor  string `db:"actor"`
		Action string `db:"action"`
		Before string `db:"before_value"`
		After  string `db:"after_value"`
	}
	var w sqldb.Where
	w.And("target = ?", on)
	w.AndIf(action != "", "action = ?", action)
	query := `SELECT change_id, at_ms, actor, action, before_value, after_value FROM operator_log` + w.String() + `
		ORDER BY change_id DESC LIMIT ?`
	if err := tx.SelectContext(ctx, &rows, query, w.Args(maxOverlooked)...); err != nil {
		return nil, fmt.Errorf("select the changes of %s: %w", on, err)
	}
	var overlooked []api.Overlooked
	for _, r := range rows {
		if r.After != "" && versionOf(r.After) <= version || r.After == "" && versionOf(r.Before) < version {
			continue
		}
		fields := Differences([]byte(r.Before), []byte(r.After))
		overlooked = append(overlooked, api.Overlooked{
			ID: r.ID.String(), At: api.Millis(r.AtMS), Actor: r.Actor, Action: r.Action,
			Fields: fields[:min(len(fields), maxFields)],
		})
	}
	return overlooked, nil
}

// versionOf returns the version in a value of a change, 0 if it has none.
func versionOf(value string) int64 {
	var v struct {
		Version int64 `json:"version"`
	}
	_ = json.Unmarshal([]byte(value), &v) // a value of another form has no version
	return v.Version
}

// Differences compares two JSON objects field by field, without their versions; an empty value is none.
func Differences(before, after []byte) []api.ChangedField {
	from, to := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	flatten(before, "", from)
	flatten(after, "", to)
	names := maps.Clone(from)
	maps.Copy(names, to)
	delete(names, "version")
	found := []api.ChangedField{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(from[name], to[name]) {
			found = append(found, api.ChangedField{Field: name, From: from[name], To: to[name]})
		}
	}
	return found
}

// flatten writes the fields of a value by their paths. Items of lists are named by their sku_id or point_id; other
// lists are one value.
func flatten(value json.RawMessage, path string, into map[string]json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) == nil && fields != nil {
		for name, field := range fields {
			if path != "" {
				name = path + "." + name
			}
			flatten(field, name, into)
		}
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) == nil && len(items) > 0 && nameOf(items[0]) != "" {
		for _, item := range items {
			flatten(item, path+"["+nameOf(item)+"]", into)
		}
		return
	}
	if path != "" {
		into[path] = value
	}
}

// nameOf returns what names an item of a list, or "".
func nameOf(item json.RawMessage) string {
	var ids struct {
		SKU   string `json:"sku_id"`
		Point string `json:"point_id"`
	}
	if json.Unmarshal(item, &ids) != nil {
		return ""
	}
	if ids.SKU != "" {
		return ids.SKU
	}
	return ids.Point
}
