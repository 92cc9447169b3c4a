-- +goose Up
-- The last position that was deleted. A stream that continues from an earlier one has missed events; since positions
-- are not dense, the first event that is left doesn't tell.
ALTER TABLE events_head ADD COLUMN /*M! IF NOT EXISTS */ deleted BIGINT NOT NULL DEFAULT 0;
UPDATE events_head SET deleted = (SELECT COALESCE(MIN(e.position) - 1, events_head.position) FROM events e)
    WHERE deleted = 0;

-- +goose Down
ALTER TABLE events_head DROP COLUMN deleted;
