-- +goose Up
-- revision is the version of what an operator edits: the time (ms) when the thing was made, and 1 more after each change
-- of what operators see of it. So a thing that is made again under an id has a higher one. Older versions of the program
-- insert rows with 1. Each statement may run again after a crash, as in 00011.
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE endpoints ADD COLUMN /*M! IF NOT EXISTS */ revision BIGINT NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE endpoints DROP COLUMN revision;
ALTER TABLE activities DROP COLUMN revision;
