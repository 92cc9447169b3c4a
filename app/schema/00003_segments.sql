-- +goose Up
-- segments are the names of the segments of buyers that a sale is for, with spaces between them; empty for everybody.
ALTER TABLE activities ADD COLUMN segments VARCHAR(600) NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE activities DROP COLUMN segments;
