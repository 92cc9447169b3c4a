-- +goose Up
-- Operators set units aside by rows of waitlist: held_by is the operator, and '' in the rows of buyers who wait. note is
-- what the operator wrote. until_ms is when the units go back; below 0, the row is not complete yet.
-- Locks: nothing for long: adds columns to waitlist, which has the rows of running sales only.
ALTER TABLE waitlist ADD COLUMN held_by VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE waitlist ADD COLUMN note VARCHAR(200) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE waitlist DROP COLUMN note;
ALTER TABLE waitlist DROP COLUMN held_by;
