-- +goose Up
-- The gates of an activity, as JSON where they are more than a word; '' is none. Older versions of the
-- program insert activities without them. version counts the changes of a published activity, applied is the
-- version that Redis has. Each statement may run again after a crash, as in 00011.
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ human_check VARCHAR(16) NOT NULL DEFAULT 'none';
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ limits VARCHAR(1000) NOT NULL DEFAULT '';
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ waiting_room VARCHAR(500) NOT NULL DEFAULT '';
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ applied BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE activities DROP COLUMN human_check;
ALTER TABLE activities DROP COLUMN limits;
ALTER TABLE activities DROP COLUMN waiting_room;
ALTER TABLE activities DROP COLUMN version;
ALTER TABLE activities DROP COLUMN applied;
