-- +goose Up
-- expected_visitors is how many visitors an operator expects in the first minute of a sale; 0: nobody has said it.
-- Locks: nothing for long: adds a column to activities, a table of sales, which is small.
ALTER TABLE activities ADD COLUMN expected_visitors BIGINT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE activities DROP COLUMN expected_visitors;
